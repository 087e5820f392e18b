import{b as e}from"./chunk-7SYUOOAM.js";import"./chunk-FBTSZOUL.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";e();
