import{b as e}from"./chunk-FIXPTRNA.js";import"./chunk-KX3MUFR5.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";e();
