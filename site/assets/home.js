import{a as e}from"./chunk-2KM6KAJG.js";import{b as r}from"./chunk-YVLWZN5V.js";import"./chunk-MQOSVPRW.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";r();e();
