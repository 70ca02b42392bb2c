import { Host, type HostContext, type Plugin } from "../../src/host/index.ts";
import { BUILT_IN } from "../../src/objects/plugins.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import type { ConfigInput } from "../../src/protocol/config.ts";
import type { Database } from "../../src/store/database.ts";
import { hostContext } from "./host-context.ts";
import { type GivenService, givenServices } from "./service-pair.ts";

/** What a test gives of the outside. What it does not give, nobody reaches. */
export interface TestHostOptions {
  readonly config?: ConfigInput;
  readonly fetch?: typeof fetch;
  readonly secrets?: { readonly [name: string]: string };
  readonly database?: Database;
  /** Fills slots that no plugin fills. */
  readonly providers?: HostContext["defaults"];
  /** In place of the plugins that have them. */
  readonly services?: readonly GivenService[];
  readonly log?: HostContext["log"];
}

/** A host of these plugins alone, with the checks and messages of a real start. @throws PluginError as a start does. */
export function hostWith(plugins: readonly Plugin[], options: TestHostOptions): Host {
  const { config = {}, secrets = {}, services = [], providers, database, fetch, log } = options;
  const checked = checkConfig(config);
  const context = hostContext({
    config: checked,
    secret: (name) => (Object.hasOwn(secrets, name) ? secrets[name] : undefined),
    database() {
      if (database) return database;
      throw new Error("There is no database in this test: give one as options.database.");
    },
    ...(fetch && { fetch }),
    ...(log && { log }),
    ...(providers && { defaults: providers }),
  });
  const given = services.length > 0 ? [givenServices(services)] : [];
  return new Host([...given, ...plugins], context, checked.features);
}

/** The built-in plugins and yours, set up together as a start does. */
export function testHost(options: TestHostOptions & { readonly plugins?: readonly Plugin[] } = {}): Host {
  return hostWith([...BUILT_IN, ...(options.plugins ?? [])], options);
}
