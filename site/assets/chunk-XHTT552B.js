var r={explorer:()=>import("./chunk-ZGVSRZLM.js")};function o(){for(let e of document.querySelectorAll("[data-figure]"))r[e.dataset.figure??""]?.().then(({start:t})=>t(e))}export{o as a};
