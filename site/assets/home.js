import{a as e}from"./chunk-2KM6KAJG.js";import{b as r}from"./chunk-L2RTGZ7T.js";import"./chunk-WJ6M6SPD.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";r();e();
