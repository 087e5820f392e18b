import{a as e}from"./chunk-4BTHBIXR.js";import{b as r}from"./chunk-4Z6FK7WL.js";import"./chunk-R3W7HJNZ.js";import"./chunk-XGGZVOMM.js";import"./chunk-CZTQVWGB.js";r();e();
