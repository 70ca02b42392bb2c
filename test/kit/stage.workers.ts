import { env } from "cloudflare:workers";
import type { Plugin } from "../../src/host/index.ts";
import type { ModelPort } from "../../src/kernel/index.ts";
import type { Models } from "../../src/models/index.ts";
import type { ConversationOptions } from "../../src/objects/conversation/conversation-options.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";
import type { ConfigInput } from "../../src/protocol/config.ts";
import { countedState, type WriteCounts } from "./counted-state.ts";
import { EffectFetch } from "./effect-fetch.ts";
import { type Script, ScriptedModel } from "./scripted-model.ts";
import { WatchedDatabase } from "./watched-database.ts";

/** The platform makes the objects, so what a test decides about one waits here under the object's name. */
const stages = new Map<string, Stage>();

/**
 * What the outside is for one conversation of a test: its model, its receiver of effects, its database, its counters. It
 * outlives every death of the object, as the real outside does.
 */
export class Stage {
  readonly id = crypto.randomUUID();
  readonly key: string;
  readonly receiver = new EffectFetch();
  readonly database = new WatchedDatabase(env.DB);
  /** What the object's storage was asked to write, over all its lives. */
  readonly counts: WriteCounts = { rows: 0, read: 0, alarms: 0 };
  readonly model = new ScriptedModel((request, nth) => this.script(request, nth));
  /** While set, the object's storage refuses every transaction. */
  isStorageBroken = false;
  /** How often it refused one. */
  refusals = 0;
  /** Stands in for the scripted model. */
  port: ModelPort | undefined;
  /** False: the deployment's own models answer. */
  standsIn = true;
  script: Script = () => ({ text: "Hello." });
  config: ConfigInput = { webhooks: { build: { url: "https://build.example/hook", label: "the build server" } } };
  /** Answers in place of the receiver. */
  outside: ((request: Request) => Promise<Response>) | undefined;
  plugins: (builtIn: readonly Plugin[]) => readonly Plugin[] = (builtIn) => builtIn;

  /** @param surface prefix of the key. */
  constructor(surface = "web") {
    this.key = `${surface}:${this.id}`;
    stages.set(this.key, this);
  }

  /** What an object is made with: an owned conversation has its owner's; a name that no test has set up gets its own. */
  static of(key = ""): Stage {
    const [root = key] = /(?:web|test):[0-9a-f-]+/.exec(key) ?? [];
    return stages.get(root) ?? new Stage();
  }

  get options(): ConversationOptions {
    return {
      config: checkConfig(this.config),
      models: (deployed) => this.#withModel(deployed),
      plugins: (builtIn) => this.plugins(builtIn),
      observe: (state) => countedState(state, this.counts, () => this.#refuses()),
      fetch: (input, init) => {
        const request = new Request(input, init);
        return this.outside ? this.outside(request) : this.receiver.fetch(request);
      },
    };
  }

  /** The object itself, to be evicted, looked into or woken. */
  get object() {
    return env.CONVERSATION.getByName(this.key);
  }

  #refuses(): boolean {
    if (this.isStorageBroken) this.refusals++;
    return this.isStorageBroken;
  }

  #withModel(deployed: Models): Models {
    return this.standsIn ? { ...deployed, port: this.port ?? this.model } : deployed;
  }
}
