import{a as e}from"./chunk-2KM6KAJG.js";import{b as r}from"./chunk-FIXPTRNA.js";import"./chunk-KX3MUFR5.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";r();e();
