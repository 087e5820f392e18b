import{a}from"./chunk-APT6TYTY.js";import"./chunk-F67F5PKA.js";import"./chunk-A4HPGFJH.js";export{a as createEditor};
