import { posix } from "node:path";
import type { Config } from "../../src/protocol/config.ts";

/** The parts of wrangler.toml that deploying changes; every other key is carried over as it stands. */
export interface WranglerConfig {
  readonly main: string;
  readonly assets: { readonly directory: string };
  readonly d1_databases: readonly Database[];
  readonly [key: string]: unknown;
}

interface Database {
  readonly binding: string;
  readonly database_name: string;
  readonly database_id?: string;
  readonly migrations_dir: string;
}

/**
 * The configuration to deploy: the local one, with paths seen from `folder` (where it will stand), the account's own
 * database found by its name, and the remote bindings that the operator's configuration switches on. The local one
 * has none of these, so that nothing asks for an account before `npm run deploy`.
 */
export function deployConfig(local: WranglerConfig, operator: Config, folder: string): Record<string, unknown> {
  const from = (path: string) => posix.relative(folder, path);
  return {
    ...local,
    main: from(local.main),
    assets: { ...local.assets, directory: from(local.assets.directory) },
    d1_databases: local.d1_databases.map(({ database_id: _local, ...database }) => ({
      ...database,
      migrations_dir: from(database.migrations_dir),
    })),
    // The upload must stay small; locally readable stack traces count for more.
    minify: true,
    ...(usesWorkersAi(operator) ? { ai: { binding: "AI" } } : {}),
  };
}

/** What would make a deployment useless, each with its remedy. */
export function deployFaults(operator: Config): string[] {
  if (operator.allowedHosts.length > 0) return [];
  return [
    "allowedHosts in althing.config.ts is empty, so every request would be refused with 421. " +
      'Name the host people will use, e.g. allowedHosts: ["althing.<your subdomain>.workers.dev"].',
  ];
}

function usesWorkersAi(operator: Config): boolean {
  return Object.values(operator.providers).some(({ kind }) => kind === "workers-ai");
}
