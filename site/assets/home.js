import{a as e}from"./chunk-4BTHBIXR.js";import{b as r}from"./chunk-OCVFFKKC.js";import"./chunk-R3W7HJNZ.js";import"./chunk-B2KCZCCP.js";import"./chunk-CZTQVWGB.js";r();e();
