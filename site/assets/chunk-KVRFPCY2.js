import{a}from"./chunk-LPOLYOOP.js";import"./chunk-2CFW2URU.js";export{a as createEditor};
