import * as z from "zod";
import { coreNotice, defineTask, defineTool, type Registry, type Step, type TaskRun } from "../../src/kernel/index.ts";
import type { Json } from "../../src/lib/json.ts";

/**
 * Where the pages go: a search index, a bucket, another service. It outlives every crash of this process, and a key that
 * it knows changes nothing: that alone makes a repeated effect harmless.
 */
export interface PageSink {
  put(key: string, documents: readonly string[]): Promise<void>;
  /** Takes every page away whose key begins so. May be asked again. */
  remove(prefix: string): Promise<void>;
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Names of documents, not their contents: a task's input lies in the row that every commit writes. */
const INPUT = z.strictObject({ documents: z.array(z.string().min(1).max(100)).min(1).max(200) });
type Input = z.output<typeof INPUT>;

/** Where the task stands, whole: a restart knows nothing but this. */
type At = {
  /** The first document that is not known to be in the sink. */
  readonly next: number;
  readonly total: number;
  /** Attempts of the page that failed. */
  readonly failures: number;
} & (
  | { readonly phase: "page" }
  /** In flight: the page may or may not be in the sink. Its size is kept, for the configuration may change meanwhile. */
  | { readonly phase: "put"; readonly size: number }
);

type Run = Omit<TaskRun<Input, At>, "checkpoint">;

/** The task kind. The sink is given by whoever registers it, at each start anew. */
function indexerOf(sink: PageSink) {
  return defineTask<Input, At>({
    kind: "example.indexer",
    initial: ({ documents }) => ({ phase: "page", next: 0, total: documents.length, failures: 0 }),
    // Everybody may set these for a conversation; they follow its transcript.
    config: { indexerPageSize: 10, indexerAttempts: 5 },
    inFlight: ["put"],
    phases: {
      async page(run) {
        const at = run.checkpoint;
        if (at.next >= at.total)
          return (tx) => {
            // The notice and the end are one commit: nobody is told twice, and nobody is forgotten.
            tx.write(coreNotice, { text: `${at.total} documents are indexed.` });
            return { kind: "complete", result: { documents: at.total } };
          };
        const size = positive(run.read.config("indexerPageSize"));
        const put = { ...at, phase: "put", size } as const;
        // Committed before the effect: a crash from here on finds the phase "put".
        run.enter(put);
        return await putPage(run, put);
      },
      // Only after a crash: puts the same page under the same key again.
      put: (run) => putPage(run, run.checkpoint),
    },
    // Runs when the task was stopped, instead of any phase, and again after a crash.
    abort: (run) => sink.remove(prefixOf(run)),
    // What clients see; without it they would see the phase.
    describe: ({ next, total, failures }) => ({ indexed: next, total, failures }),
  });

  async function putPage(run: Run, { size, ...at }: Extract<At, { phase: "put" }>): Promise<Step<At>> {
    const { next, failures } = at;
    const page = run.input.documents.slice(next, next + size);
    try {
      await sink.put(`${prefixOf(run)}${next}`, page);
    } catch (error) {
      // Stopped, or the process is going: not the sink's failure.
      run.signal.throwIfAborted();
      return afterFailure(run, { ...at, phase: "page", failures: failures + 1 }, error);
    }
    return { kind: "next", checkpoint: { ...at, phase: "page", next: Math.min(next + size, at.total), failures: 0 } };
  }
}

/** Sleeping needs neither memory nor a timer of our own: the kernel's alarm wakes the task. */
function afterFailure(run: Run, at: Extract<At, { phase: "page" }>, error: unknown): Step<At> {
  const reason = error instanceof Error ? error.message : JSON.stringify(error);
  if (at.failures >= positive(run.read.config("indexerAttempts"))) {
    return { kind: "fail", error: `The index took no page after document ${at.next}: ${reason}` };
  }
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (at.failures - 1));
  return { kind: "sleep", until: run.now() + pause, checkpoint: at };
}

function prefixOf(run: Pick<Run, "idempotencyKey">): string {
  return `${run.idempotencyKey}/`;
}

/** A configured number as it may be used: people can set anything. */
function positive(value: Json | undefined): number {
  return typeof value === "number" && value >= 1 ? Math.floor(value) : 1;
}

/** Registers the kind, and a tool that has it do the work. Returns what takes exactly them back. */
export function registerIndexer(registry: Registry, sink: PageSink): () => void {
  const indexer = indexerOf(sink);
  const undoKind = registry.registerTaskKind(indexer);
  const undoTool = registry.registerTool(
    defineTool({
      name: "index_documents",
      description: "Puts documents into the search index.",
      input: INPUT,
      // Run again after a crash, it finds the task that it began: `begin` begins one under each name.
      replay: "safe",
      async execute(input, context) {
        return { waitFor: context.begin("indexing", indexer, input) };
      },
      async finished({ outcome, result }) {
        if (outcome === "completed") return { text: `Indexed: ${JSON.stringify(result)}` };
        return {
          text: `The indexing ended as ${outcome}: ${JSON.stringify(result)}`,
          isError: true,
          code: "not_indexed",
        };
      },
    }),
  );
  return () => {
    undoTool();
    undoKind();
  };
}
