import{a}from"./chunk-UTFES5SF.js";import"./chunk-F67F5PKA.js";export{a as createEditor};
