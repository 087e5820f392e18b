import{b as e}from"./chunk-IUKZTN7G.js";import"./chunk-366HIWZF.js";import"./chunk-OHE7X2ZH.js";import"./chunk-CZTQVWGB.js";e();
