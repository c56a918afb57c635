import globalData from "@csstools/postcss-global-data";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import customMedia from "postcss-custom-media";
import "./tools/pages.js";
import { defineConfig } from "vite";
import { fonts } from "./fonts";
import { shell } from "./shell";

const server = process.env.TERCET_SERVER ?? "http://127.0.0.1:8000";

export default defineConfig({
  base: "./",
  plugins: [fonts(), svelte(), shell()],
  css: { postcss: { plugins: [globalData({ files: ["src/breakpoints.css"] }), customMedia()] } },
  build: {
    outDir: "../src/tercet/server/page",
    emptyOutDir: true,
    target: "es2022",
    rolldownOptions: {
      input: ["index.html", "src/device/deviceStart.ts"],
      // each file of a page costs a request: the first page needs most of Svelte at once
      output: { codeSplitting: { groups: [{ name: "svelte", test: /node_modules\/svelte\// }] } },
    },
    assetsDir: "assets",
    assetsInlineLimit: (file) => (file.endsWith(".woff2") ? false : undefined), // fonts come from the page's own address alone
    chunkSizeWarningLimit: 300,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": { target: server, ws: true } } },
});
