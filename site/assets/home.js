import{a as e}from"./chunk-4BTHBIXR.js";import{b as r}from"./chunk-OSJMVZ4P.js";import"./chunk-5XQYNDCY.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";r();e();
