import * as z from "zod";
import {
  CallRefused,
  defineNamespace,
  defineTool,
  type HostTx,
  type Kernel,
  type Registry,
} from "../../src/kernel/index.ts";

/** More open questions than people would read. */
export const MAX_OPEN_QUESTIONS = 20;
const HOUR_MS = 3_600_000;

/** A question that waits for its answer. */
type Question = {
  readonly text: string;
  /** Whom the turn runs for. */
  readonly asker: string;
  /** Nobody may answer after that, ms. */
  readonly until: number;
};

/**
 * The durable state of this plugin in one conversation. Everything that must survive a crash is here or in a memo beside
 * the call: no variable of this module holds anything.
 */
export const QUESTIONS = defineNamespace<{ open: { readonly [task: string]: Question } }>({
  name: "example.questions",
  // Sticky: what is open now, whatever the transcript is taken back to.
  sticky: { open: {} },
  // Clients see this and nothing else of the namespace. Whoever joins late gets it with the first snapshot.
  view: ({ open }) => Object.entries(open).map(([task, { text, until }]) => ({ task: Number(task), text, until })),
});

/** The memo that holds the answer. It stands beside the call and goes with it. */
const ANSWER = "answer";

type Answer = { readonly by: string; readonly text: string };

const ASK_INPUT = z.strictObject({
  question: z.string().trim().min(1).max(1_000),
  hours: z.number().int().min(1).max(168).default(24).describe("How long the question stays open."),
});

const ask = defineTool({
  name: "ask",
  description: "Asks the people in this conversation a question and waits until somebody answers.",
  input: ASK_INPUT,
  // It only reads what was answered, so running it again after a crash does no harm.
  replay: "safe",
  async execute(_input, context) {
    // The call starts only once its answer is there: see the handler below.
    const { by, text } = context.recall(QUESTIONS, ANSWER) as Answer;
    return { text: `${by} answered: ${text}` };
  },
});

/** Registers tool, state and handlers. Returns what takes exactly them back. */
export function registerQuestions(registry: Registry): () => void {
  const undoNamespace = registry.namespace(QUESTIONS);
  const undoTool = registry.registerTool(ask);
  registry.hooks(QUESTIONS, {
    // Runs before the call starts, and again after each wake, restart and at the deadline: so it decides by what is stored.
    beforeTool(call, api) {
      if (call.tool.name !== ask.name) return Promise.resolve({ kind: "pass" });
      if (api.recall(ANSWER) !== undefined) return Promise.resolve({ kind: "pass" });
      const { question, hours } = call.input as z.output<typeof ASK_INPUT>;
      const standing = api.read.get(QUESTIONS).open[String(call.task)];
      const until = standing?.until ?? api.now() + hours * HOUR_MS;
      return Promise.resolve({
        kind: "park",
        // When it has passed, the kernel gives the call the result `expired`.
        deadline: until,
        pendingText: "The question was put. Its answer will come as a message of its own.",
        // In the commit that parks the call: asking and waiting cannot be told apart by a crash.
        onParked(tx, task) {
          // Answered since this handler looked: look again instead of waiting for what has come already.
          if (tx.recall(QUESTIONS, task, ANSWER) !== undefined) return "again";
          open(tx, task, { text: question, asker: call.actor, until });
          return undefined;
        },
      });
    },
    // The person said something more, so the turn goes on and the call waits on its own, as another task.
    detached(tx, { from, to }) {
      const { [String(from)]: question, ...others } = tx.get(QUESTIONS).open;
      if (question) tx.set(QUESTIONS, { open: { ...others, [String(to)]: question } });
    },
    // However the call ended: answered, expired or stopped, its question is not open any more.
    settled: (tx, { task }) => close(tx, task),
  });
  return () => {
    undoTool();
    undoNamespace();
  };
}

/**
 * Answers an open question: what a button or a route of the host calls. The first answer counts; false: somebody was
 * faster, the time is over, or there is no such question.
 */
export function answer(kernel: Pick<Kernel, "commit">, task: number, { by, text }: Answer): boolean {
  return kernel.commit((tx) => {
    if (tx.get(QUESTIONS).open[String(task)] === undefined) return false;
    // One commit: the decision, the card that goes, the call that wakes. A crash leaves all of it or nothing.
    tx.memo(QUESTIONS, task, ANSWER, { by, text });
    close(tx, task);
    tx.emit(QUESTIONS, "answered", { task, by });
    tx.wake(task);
    return true;
  });
}

function open(tx: HostTx, task: number, question: Question): void {
  const { open } = tx.get(QUESTIONS);
  if (open[String(task)]) return;
  if (Object.keys(open).length >= MAX_OPEN_QUESTIONS) {
    // Everything that grows has a bound. The refusal is the call's result: the model reads it.
    throw new CallRefused(
      "too_many",
      `${MAX_OPEN_QUESTIONS} questions are open: wait for an answer before you ask more.`,
    );
  }
  tx.set(QUESTIONS, { open: { ...open, [String(task)]: question } });
}

function close(tx: HostTx, task: number): void {
  const { [String(task)]: question, ...others } = tx.get(QUESTIONS).open;
  if (question) tx.set(QUESTIONS, { open: others });
}
