import{b as e}from"./chunk-PDKHRF3U.js";import"./chunk-32ZTKW6D.js";import"./chunk-YBX32UXY.js";import"./chunk-CZTQVWGB.js";e();
