import{a as e}from"./chunk-2KM6KAJG.js";import{b as r}from"./chunk-6ICZAU3F.js";import"./chunk-ABEEEXPV.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";r();e();
