import { existsSync } from "node:fs";
import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

const WORKERS = "test/**/*.workers.test.ts";
const BROWSER = "test/**/*.browser.test.ts";
const NO_TESTS = ["**/node_modules/**", "**/fixtures/**"];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "node",
          include: ["test/**/*.test.{ts,tsx}"],
          exclude: [...NO_TESTS, WORKERS, BROWSER],
          maxWorkers: "100%",
        },
      },
      {
        plugins: [
          cloudflareTest(async () => ({
            main: "test/kit/test-worker.workers.ts",
            wrangler: { configPath: "./test/wrangler.toml" },
            miniflare: { bindings: { TEST_MIGRATIONS: await migrations() } },
          })),
        ],
        test: {
          name: "workers",
          include: [WORKERS],
          exclude: NO_TESTS,
          maxWorkers: "100%",
          setupFiles: ["test/kit/migrations.workers.ts"],
        },
      },
      {
        test: {
          name: "browser",
          include: [BROWSER],
          exclude: NO_TESTS,
          // One file at a time, after the others: a browser and a server of its own are heavy enough.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

async function migrations() {
  return existsSync("migrations") ? readD1Migrations("migrations") : [];
}
