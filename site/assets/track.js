import{b as e}from"./chunk-OCVFFKKC.js";import"./chunk-R3W7HJNZ.js";import"./chunk-B2KCZCCP.js";import"./chunk-CZTQVWGB.js";e();
