import{a as e}from"./chunk-V2OH7R2Z.js";import{b as r}from"./chunk-IUKZTN7G.js";import"./chunk-366HIWZF.js";import"./chunk-OHE7X2ZH.js";import"./chunk-CZTQVWGB.js";r();e();
