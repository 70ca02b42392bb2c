import * as z from "zod";
import { readForkPage } from "../../src/kernel/fork/read-page.ts";
import { defineTool, type Entry, type ForkRef, type OriginPort, readEntry } from "../../src/kernel/index.ts";
import { readEntriesAfter } from "../../src/kernel/storage/entries.ts";
import { must } from "../../src/lib/assert.ts";
import { KernelWorld } from "../kit/kernel-world.ts";
import { NodeStorage } from "../kit/node-storage.ts";
import { PAGES } from "./actors/historian.ts";
import type { PagePlan } from "./script.ts";
import type { Stage } from "./stage.ts";

/** Entries of a page, so that a copy takes several. */
const PAGE_ENTRIES = 3;

/** The conversation that simulations may be forks of. It went back once, called a tool and turned pages. */
export class OldConversation {
  readonly storage: NodeStorage;
  /** Entries that a fork may begin at. */
  readonly places: readonly number[];

  constructor(storage: NodeStorage) {
    this.storage = storage;
    const entries = readEntriesAfter(storage, 0, 1_000);
    const isPlace = (_entry: Entry, at: number) => entries[at + 1]?.kind !== "core.tool_result";
    this.places = entries.filter(isPlace).map(({ id }) => id);
  }

  /** Where the `nth` fork begins. */
  ref(nth: number): ForkRef {
    return { from: "old", at: must(this.places[nth % this.places.length], "there is no place to fork at") };
  }

  /** Everything that a fork begins with. */
  whole(at: number) {
    return readForkPage(this.storage, must(readEntry(this.storage, at), "a place is an entry"), 0);
  }

  /** Serves small pages, as planned. */
  port(nextPage: () => PagePlan, stage: Pick<Stage, "world">): OriginPort {
    return {
      page: async ({ at }, after) => {
        const { clock } = stage.world;
        const { kind } = nextPage();
        if (kind === "slow") await clock.wait(clock.now() + 1_500, new AbortController().signal);
        if (kind === "hang") await new Promise<never>(() => undefined);
        if (kind === "throw") throw new Error("the origin is not there now");
        if (kind === "refuse") return { ok: false, error: "the origin is gone" };
        const { entries: left, documents } = readForkPage(
          this.storage,
          must(readEntry(this.storage, at), "an entry"),
          after,
        );
        const entries = left.slice(0, PAGE_ENTRIES);
        const isLast = entries.at(-1)?.id === at;
        return { ok: true, value: { page: { entries, ...(isLast && documents && { documents }) } } };
      },
    };
  }
}

let known: Promise<OldConversation> | undefined;

/** The old conversation: made once, never changed. */
export function oldConversation(): Promise<OldConversation> {
  known ??= makeOldConversation();
  return known;
}

async function makeOldConversation(): Promise<OldConversation> {
  const storage = new NodeStorage();
  const lookup = defineTool({
    name: "lookup",
    description: "Looks something up.",
    input: z.object({}),
    replay: "safe",
    execute: () => Promise.resolve({ text: "<oldresult-0>" }),
  });
  const world = new KernelWorld(storage, {
    tools: [lookup],
    register: (registry) => void registry.namespace(PAGES),
    script: (_request, nth) => {
      return nth === 1
        ? { text: "<oldanswer-1>", calls: [{ name: "lookup", args: "{}" }] }
        : { text: `<oldanswer-${nth}>` };
    },
  });
  world.start();
  for (const n of [0, 1, 2, 3]) {
    const content = [{ type: "text", text: `<oldmessage-${n}>` }] as const;
    world.kernel.submit({ key: `p_old:${n}`, actor: "p_old", meta: null, content });
    await world.run();
    world.kernel.commit((tx) => tx.set(PAGES, { page: n + 1 }));
    if (n === 2) world.kernel.history.rewind(must(world.control.lastEntry, "an entry") - 1, "p_old");
  }
  world.crash();
  return new OldConversation(storage);
}
