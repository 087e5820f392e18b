// In place of the worker that keeps a finished site: while one works on it, nothing is kept.
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(registration.unregister()));
