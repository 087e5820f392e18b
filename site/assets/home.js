import{a as e}from"./chunk-YU4A7S7F.js";import{b as r}from"./chunk-PDKHRF3U.js";import"./chunk-32ZTKW6D.js";import"./chunk-YBX32UXY.js";import"./chunk-CZTQVWGB.js";r();e();
