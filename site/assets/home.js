import{a as e}from"./chunk-YU4A7S7F.js";import{b as r}from"./chunk-HOJ6UDWK.js";import"./chunk-32ZTKW6D.js";import"./chunk-B2KCZCCP.js";import"./chunk-CZTQVWGB.js";r();e();
