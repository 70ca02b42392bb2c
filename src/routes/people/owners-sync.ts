import type { AppEnv } from "../../env.ts";
import { ulid } from "../../lib/ulid.ts";
import { syncConfiguredOwners } from "../../store/configured-owners.ts";
import { openDatabase } from "../../store/database.ts";
import type { AppDeps } from "../route.ts";

/** Brings the directory's owners in line with the configuration: once in an isolate's life, before it judges anybody. */
export class OwnersSync {
  readonly #deps: AppDeps;
  #isDone = false;

  constructor(deps: AppDeps) {
    this.#deps = deps;
  }

  /** @throws when the directory cannot be written; the next request tries again. */
  async once(env: AppEnv): Promise<void> {
    if (this.#isDone) return;
    const { config, clock, random } = this.#deps;
    const now = clock.now();
    await syncConfiguredOwners(openDatabase(env.DB), config.people.owners, { now, id: ulid(now, random) });
    this.#isDone = true;
  }
}
