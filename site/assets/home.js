import{b as e}from"./chunk-N7DDAO3O.js";import"./chunk-366HIWZF.js";import"./chunk-LI6YAKH7.js";e();
