import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

/** The folders of the page: each imports only from itself and the folders before it. */
const FOLDERS = [
  "storage",
  "words",
  "lib",
  "ui",
  "device",
  "board",
  "panels",
  "lessons",
  "puzzles",
  "lobby",
  "dial",
  "console",
  "people",
  "analysis",
  "table",
  "tournaments",
  "app",
];
const IMPORTS =
  ":matches(ImportDeclaration, ImportExpression, ExportNamedDeclaration, ExportAllDeclaration, TSImportType)";
const oneWay = ["*", ...FOLDERS].map((folder) => {
  const before = FOLDERS.slice(0, Math.max(0, FOLDERS.indexOf(folder)));
  const selector = `${IMPORTS}[source.value=/^\\.\\.\\u002F(?!(${before.join("|")})\\u002F)/]`;
  const message = `This folder imports only from those before it in FOLDERS (eslint.config.js): ${before.join(", ") || "none"}.`;
  return { files: [`src/${folder}/**`], rules: { "no-restricted-syntax": ["error", { selector, message }] } };
});

export default ts.config(
  { ignores: ["node_modules/", "src/lib/*.generated.ts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs["flat/recommended"],
  { languageOptions: { globals: { ...globals.browser } } },
  { files: ["*.ts", "*.js", "tools/**"], languageOptions: { globals: { ...globals.node } } },
  { files: ["worker.js"], languageOptions: { globals: { ...globals.serviceworker } } },
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: ts.parser } } },
  ...oneWay,
  {
    rules: {
      "svelte/prefer-svelte-reactivity": "off", // maps and sets here are replaced, never changed in place
      "no-undef": "off", // the types say more
      "@typescript-eslint/consistent-type-imports": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
);
