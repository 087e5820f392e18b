import{b as e}from"./chunk-OSJMVZ4P.js";import"./chunk-5XQYNDCY.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";e();
