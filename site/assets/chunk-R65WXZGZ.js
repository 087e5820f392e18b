import{a}from"./chunk-YEIQ2TUG.js";import"./chunk-F67F5PKA.js";import"./chunk-IS3TBO44.js";export{a as createEditor};
