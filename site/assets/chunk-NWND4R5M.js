import{a}from"./chunk-LAG7IZXH.js";import"./chunk-F67F5PKA.js";import"./chunk-TR2CGC6Q.js";export{a as createEditor};
