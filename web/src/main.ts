import { mount } from "svelte";
import "../node_modules/.fonts/fonts.css";
import "./app.css";
import { backend } from "./lib/backend";
import { keepTextLive } from "./lib/liveText";
import App from "./app/App.svelte";
import { ROUTES } from "./app/routes";
import { loadWords } from "./words/words";

const target = document.getElementById("app");
keepTextLive(document.body);
if (target) void loadWords().then(() => mount(App, { target }));
if (backend.device) (globalThis.requestIdleCallback ?? setTimeout)(() => void ROUTES.table.load()); // wanted next

if (import.meta.env.PROD && !backend.device && "serviceWorker" in navigator)
  addEventListener("load", () => void navigator.serviceWorker.register("/worker.js").catch(() => undefined));

// An update of the server may have removed parts that load late: reload the page, once.
addEventListener("vite:preloadError", () => {
  const last = Number(sessionStorage.getItem("tercet.renewed"));
  if (Date.now() - last < 60_000) return;
  sessionStorage.setItem("tercet.renewed", String(Date.now()));
  location.reload();
});
