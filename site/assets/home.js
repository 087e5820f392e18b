import{a as e}from"./chunk-YU4A7S7F.js";import{b as r}from"./chunk-IQ35U7D7.js";import"./chunk-32ZTKW6D.js";import"./chunk-NR5F6RO6.js";import"./chunk-CZTQVWGB.js";r();e();
