import type { AppEnv } from "../../env.ts";
import { ledgerFault } from "../../host/index.ts";
import { openDatabase } from "../../store/database.ts";
import { readPluginLedger } from "../../store/plugin-ledger.ts";
import { Refuse } from "../refusal.ts";
import type { AppDeps } from "../route.ts";

/** Compares the ledger of plugins' migrations with the code: once in an isolate's life, which applies nothing itself. */
export class LedgerCheck {
  readonly #deps: Pick<AppDeps, "host">;
  #isDone = false;

  constructor(deps: Pick<AppDeps, "host">) {
    this.#deps = deps;
  }

  /** @throws Refuse naming what is missing and how to apply it; the next request looks again. */
  async once(env: AppEnv): Promise<void> {
    if (this.#isDone) return;
    const { migrations } = this.#deps.host(env);
    const fault =
      migrations.length === 0 ? undefined : ledgerFault(migrations, await readPluginLedger(openDatabase(env.DB)));
    if (fault !== undefined) throw new Refuse({ code: "unavailable", message: fault });
    this.#isDone = true;
  }
}
