import{b as e}from"./chunk-HOJ6UDWK.js";import"./chunk-32ZTKW6D.js";import"./chunk-B2KCZCCP.js";import"./chunk-CZTQVWGB.js";e();
