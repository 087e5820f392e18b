import{b as e}from"./chunk-YVLWZN5V.js";import"./chunk-MQOSVPRW.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";e();
