// Reloads the page when the server has built it anew. Only `etude preview` puts this into a page.
"use strict";

const KEY = "etude-live-scroll";

function listen() {
  const events = new EventSource("/_live/events");
  events.addEventListener("built", () => {
    sessionStorage.setItem(KEY, `${location.pathname} ${scrollY}`);
    location.reload();
  });
}

function returnToPlace() {
  const [path, height] = (sessionStorage.getItem(KEY) || "").split(" ");
  sessionStorage.removeItem(KEY);
  if (path === location.pathname) {
    scrollTo(0, Number(height));
  }
}

addEventListener("load", () => {
  returnToPlace();
  listen();
});
