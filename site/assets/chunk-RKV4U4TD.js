import{a}from"./chunk-YAD2M6BU.js";import"./chunk-2CFW2URU.js";export{a as createEditor};
