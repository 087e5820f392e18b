var n="etude:turned",e=new AbortController;function o(){return e.signal}function r(){let t=e;e=new AbortController,t.abort()}export{n as a,o as b,r as c};
