var o="etude:page-changed",e=new AbortController;function t(){return e.signal}function r(){let n=e;e=new AbortController,n.abort()}export{o as a,t as b,r as c};
