import { mount } from "svelte";
import "./app.css";
import App from "./App.svelte";

const target = document.getElementById("app");
if (target) mount(App, { target });

if (import.meta.env.PROD && "serviceWorker" in navigator) addEventListener("load", () => void navigator.serviceWorker.register("/worker.js").catch(() => undefined));
