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
if (target)
  void loadWords().then(
    () => mount(App, { target }),
    () => document.getElementById("failed")?.removeAttribute("hidden"),
  );
if (backend.device) (globalThis.requestIdleCallback ?? setTimeout)(() => void ROUTES.table.load()); // wanted next

if (import.meta.env.PROD && !backend.device && "serviceWorker" in navigator)
  addEventListener("load", () => void navigator.serviceWorker.register("/worker.js").catch(() => undefined));
