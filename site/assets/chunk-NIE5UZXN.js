import{a}from"./chunk-VJQ7PBPX.js";import"./chunk-F67F5PKA.js";import"./chunk-CZTQVWGB.js";export{a as createEditor};
