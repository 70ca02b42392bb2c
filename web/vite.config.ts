import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

/** The page: plain files under dist/web, which the Worker serves. */
export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  base: "/",
  publicDir: "public",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: fileURLToPath(new URL("../dist/web", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    // Small files stay files: the content policy allows no inlined script, and the first load stays one script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
});
