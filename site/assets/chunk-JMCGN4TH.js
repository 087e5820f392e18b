var t=["X","W_Q","W_K","W_V"],e="etude:ran";export{t as a,e as b};
