import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { applyMigrations, readMigrations } from "../../../scripts/local/migrations.ts";
import type { HostOptions } from "./app-server.ts";

/**
 * A process of its own that runs the bundled Worker in workerd with everything persisted, and says when it answers. It is
 * killed, never stopped: what it leaves on disk is what a crash leaves.
 */
const options = JSON.parse(process.argv[2] ?? "null") as HostOptions;
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    host: "127.0.0.1",
    port: options.port,
    ...(options.inspector !== undefined && { inspectorPort: options.inspector, inspectorHost: "127.0.0.1" }),
    modules: options.modules.map(({ path }) => ({ type: "ESModule" as const, path })),
    modulesRoot: options.modulesRoot,
    compatibilityDate: "2026-11-01",
    compatibilityFlags: ["nodejs_compat"],
    durableObjects: Object.fromEntries(
      Object.entries(options.objects).map(([binding, className]) => [binding, { className, useSQLite: true }]),
    ),
    d1Databases: ["DB"],
    r2Buckets: ["FILES"],
    bindings: { ALTHING_LOCAL_PORT: String(options.port), ...options.secrets },
    assets: {
      directory: options.assets,
      binding: "ASSETS",
      run_worker_first: true,
      routerConfig: { invoke_user_worker_ahead_of_assets: true, has_user_worker: true },
    },
    resourcePersistencePath: options.state,
  }),
);

await miniflare.ready;
const db = (await miniflare.getD1Database("DB")) as unknown as D1Database;
await applyMigrations(db, readMigrations(options.root));
process.stdout.write(`ready ${process.pid}\n`);

interface SqlRequest {
  readonly id: number;
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

process.on("message", (request: SqlRequest) => void answer(request));

async function answer({ id, sql, bindings }: SqlRequest): Promise<void> {
  const { results } = await db
    .prepare(sql)
    .bind(...bindings)
    .all();
  process.send?.({ id, rows: results });
}
