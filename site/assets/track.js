import{b as e}from"./chunk-6ICZAU3F.js";import"./chunk-ABEEEXPV.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";e();
