import{b as e}from"./chunk-L2RTGZ7T.js";import"./chunk-WJ6M6SPD.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";e();
