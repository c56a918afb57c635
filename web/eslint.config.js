import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";

export default ts.config(
  { ignores: ["node_modules/", "src/lib/protocol.generated.ts"] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs["flat/recommended"],
  { languageOptions: { globals: { ...globals.browser } } },
  { files: ["*.ts", "*.js", "tools/**"], languageOptions: { globals: { ...globals.node } } },
  { files: ["worker.js"], languageOptions: { globals: { ...globals.serviceworker } } },
  { files: ["**/*.svelte", "**/*.svelte.ts"], languageOptions: { parserOptions: { parser: ts.parser } } },
  {
    rules: {
      "svelte/prefer-svelte-reactivity": "off", // maps and sets here are replaced, never changed in place
      "no-undef": "off", // the types say more
      "@typescript-eslint/consistent-type-imports": "error",
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
);
