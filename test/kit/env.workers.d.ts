declare namespace Cloudflare {
  interface Env {
    /** An empty object for tests, see `test-worker.workers.ts`. */
    SCRATCH: DurableObjectNamespace<import("./test-worker.workers.ts").Scratch>;
    /** The files of `migrations/`, as `applyD1Migrations` takes them. */
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}
