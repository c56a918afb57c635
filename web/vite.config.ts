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
      // each file of a page costs a request; the first page needs all of these at once. What deviceStart.ts needs stays
      // apart: it runs before src/lib/backend.ts, and tells that where the answers come from.
      output: {
        codeSplitting: {
          groups: [
            { name: "svelte", test: /node_modules\/svelte\// },
            { name: "words", test: /src\/(words\/words|storage\/kept)\./ },
            {
              name: "base",
              test: /src\/(lib\/(answered|announce|api|backend|clip|me|progress|settings)\.|ui\/Icon\.)/,
            },
          ],
        },
      },
    },
    assetsDir: "assets",
    assetsInlineLimit: (file) => (file.endsWith(".woff2") ? false : undefined), // fonts come from the page's own address alone
    chunkSizeWarningLimit: 300,
  },
  worker: { format: "es" },
  server: { proxy: { "/api": { target: server, ws: true } } },
});
