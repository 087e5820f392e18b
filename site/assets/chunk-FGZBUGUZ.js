import{a}from"./chunk-42XT2DU7.js";import"./chunk-F67F5PKA.js";import"./chunk-B3VBQRJY.js";export{a as createEditor};
