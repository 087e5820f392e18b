import{b as e}from"./chunk-KF7REN7W.js";import"./chunk-R3W7HJNZ.js";import"./chunk-B2KCZCCP.js";import"./chunk-CZTQVWGB.js";e();
