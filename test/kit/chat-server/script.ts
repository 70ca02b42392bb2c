import type { HoldCard } from "../../../src/protocol/cards.ts";
import type { CompactionReason, TurnChoice } from "../../../src/protocol/view.ts";

/** One thing that the scripted agent does in a model step. */
export type Beat =
  | { readonly kind: "pause"; readonly ms: number }
  | { readonly kind: "thinking" | "text"; readonly text: string }
  | { readonly kind: "calls"; readonly calls: readonly ScriptedCall[] }
  | { readonly kind: "retry"; readonly error: string; readonly ms: number }
  | { readonly kind: "summary"; readonly reason: CompactionReason }
  | { readonly kind: "fail"; readonly error: string; readonly choices?: readonly TurnChoice[] };

/** What a card shows beside action, target and arguments. */
type Extras = Pick<HoldCard, "copy" | "files">;

export interface ScriptedCall {
  readonly name: string;
  readonly args: unknown;
  readonly ms: number;
  readonly output: string;
  readonly outcome?: "ok" | "error" | "unknown";
  /** Describes the hold; absent: the call runs at once. */
  readonly hold?: {
    readonly action: string;
    readonly target: string;
    readonly deadlineMs?: number;
    readonly extras?: Extras;
  };
}

/** What a tool gave back, for the step that follows. */
export interface Outcome {
  readonly name: string;
  readonly ran: boolean;
  readonly output: string;
}

/** A step of the model. `next` gets the results of its calls and gives the next step. */
export interface Script {
  readonly beats: readonly Beat[];
  readonly next?: (outcomes: readonly Outcome[]) => Script;
}

/** The script for what a person said. The same requests as the built-in demo model understands. */
export function scriptFor(text: string): Script {
  const say = /^Repeat exactly:\n([^]*)$/.exec(text);
  if (say?.[1] !== undefined) return { beats: [{ kind: "text", text: say[1] }] };
  if (/time is it/i.test(text)) return timeScript();
  if (/several tools/i.test(text)) return severalScript();
  if (/huge webhook/i.test(text)) return webhookScript("x".repeat(5_000));
  if (/short webhook/i.test(text)) return webhookScript("main", 2_500);
  if (/webhook with a file/i.test(text)) return webhookScript("main", undefined, EXTRAS);
  if (/webhook/i.test(text)) return webhookScript("main");
  if (/something long/i.test(text)) return { beats: [{ kind: "text", text: LONG_TEXT }] };
  if (/think/i.test(text)) return thinkScript();
  if (/too full/i.test(text)) return tooFullScript();
  if (/window/i.test(text)) return windowScript();
  if (/fail/i.test(text)) return failScript();
  if (/retry/i.test(text)) return retryScript();
  if (/unknown/i.test(text)) return unknownScript();
  if (/big output/i.test(text)) return bigOutputScript();
  if (/^[\d\s*+./()-]+$/.test(text)) return calculateScript(text.trim());
  return { beats: [{ kind: "text", text: `You said: ${text}\n\nI am the scripted agent of the test kit.` }] };
}

function timeScript(): Script {
  const call = {
    name: "current_time",
    args: { zone: "Asia/Tokyo" },
    ms: 180,
    output: "Tuesday, 2026-11-03 21:04 (+09:00)",
  };
  return {
    beats: [{ kind: "calls", calls: [call] }],
    next: () => ({ beats: [{ kind: "text", text: "In Tokyo it is **21:04** on Tuesday, 3 November 2026." }] }),
  };
}

function calculateScript(expression: string): Script {
  const output = expression === "23 * 17.5" ? "402.5" : "42";
  return {
    beats: [{ kind: "calls", calls: [{ name: "calculate", args: { expression }, ms: 40, output }] }],
    next: () => ({ beats: [{ kind: "text", text: `\`${expression}\` is **${output}**.` }] }),
  };
}

function severalScript(): Script {
  return {
    beats: [
      { kind: "text", text: "Three things at once:" },
      {
        kind: "calls",
        calls: [
          {
            name: "current_time",
            args: { zone: "Europe/Reykjavik" },
            ms: 300,
            output: "Tuesday, 2026-11-03 12:04 (+00:00)",
          },
          { name: "calculate", args: { expression: "2^64" }, ms: 120, output: "18446744073709551616" },
          {
            name: "note_search",
            args: { words: "harbour" },
            ms: 700,
            output: "No note has these words.",
            outcome: "error",
          },
        ],
      },
    ],
    next: () => ({
      beats: [
        {
          kind: "text",
          text: "Here is what came back:\n\n| What | Result |\n|---|---|\n| Time in Reykjavík | 12:04 |\n| 2^64 | 18446744073709551616 |\n| Notes about the harbour | none found |\n\nThe note search found nothing, so I left it out.",
        },
      ],
    }),
  };
}

const EXTRAS: Extras = {
  copy: { text: "git fetch\ngit checkout main" },
  files: [{ id: "f1", name: "plan.pdf", bytes: 2_048, sha256: "0123456789abcdef" }],
};

function webhookScript(ref: string, deadlineMs?: number, extras?: Extras): Script {
  return {
    beats: [
      { kind: "text", text: "I can start the build. It needs your approval first." },
      {
        kind: "calls",
        calls: [
          {
            name: "send_webhook",
            args: { target: "build", body: { ref, reason: "asked in chat" } },
            ms: 250,
            output: "202 Accepted",
            hold: {
              action: "POST JSON to the webhook build",
              target: "the build server (hooks.example.com)",
              ...(deadlineMs === undefined ? {} : { deadlineMs }),
              ...(extras && { extras }),
            },
          },
        ],
      },
    ],
    next: ([outcome]) => ({
      beats: [
        {
          kind: "text",
          text:
            outcome?.ran === true
              ? "Sent. The build server answered **202 Accepted**."
              : "Understood, I did not send it.",
        },
      ],
    }),
  };
}

function thinkScript(): Script {
  return {
    beats: [
      { kind: "thinking", text: "The person wants me to think. I should weigh this *carefully* and then be brief." },
      { kind: "text", text: "I thought about it. The answer is still **42**." },
    ],
  };
}

function failScript(): Script {
  return {
    beats: [
      { kind: "text", text: "I begin well, but then" },
      { kind: "fail", error: "The model's key was refused. Check the secret ANTHROPIC_API_KEY." },
    ],
  };
}

function tooFullScript(): Script {
  const error = "The conversation no longer fits the model, and what is left cannot be summarised further.";
  return { beats: [{ kind: "fail", error, choices: ["compact", "reset", "model"] }] };
}

function windowScript(): Script {
  return {
    beats: [
      { kind: "summary", reason: "threshold" },
      { kind: "text", text: "Now there is room again." },
    ],
  };
}

function retryScript(): Script {
  return {
    beats: [
      { kind: "text", text: "This attempt will be lost." },
      { kind: "retry", error: "The model is overloaded (529).", ms: 1_500 },
      { kind: "text", text: "The second attempt came through." },
    ],
  };
}

function unknownScript(): Script {
  const call = {
    name: "send_webhook",
    args: { target: "build" },
    ms: 200,
    output: "The connection was lost after the request had left.",
    outcome: "unknown" as const,
  };
  return {
    beats: [{ kind: "calls", calls: [call] }],
    next: () => ({ beats: [{ kind: "text", text: "I cannot tell whether the build was started." }] }),
  };
}

function bigOutputScript(): Script {
  const output = Array.from({ length: 400 }, (_, line) => `line ${line + 1} of the output`).join("\n");
  return {
    beats: [{ kind: "calls", calls: [{ name: "fetch_page", args: { url: "https://example.com/" }, ms: 90, output }] }],
    next: () => ({ beats: [{ kind: "text", text: "That was a long page." }] }),
  };
}

const LONG_TEXT = `## How a message travels

A message takes **four steps** before you see an answer. Each of them may be interrupted, and none of them may be lost.

1. The page keeps what you wrote until the server has it.
2. The conversation stores it in *one commit* and answers with a receipt.
3. The agent works: it thinks, calls tools, and asks before it does anything risky.
4. The answer is committed as a whole, with everything that belongs to it.

### A small program

\`\`\`ts
/** Folds what came over the wire into what the page shows. */
export function follow(view: View, frames: readonly Frame[]): View {
  return frames.reduce((next, frame) => {
    if (frame.rev !== next.rev + 1) throw new Error("a gap");
    return fold(next, frame.ops);
  }, view);
}
\`\`\`

Names such as \`send_webhook\`, fetch_page and 23*17.5 stay as they are.

> Calm is a feature. A page that is honest about its connection is easier to trust than one that is always cheerful.

### What it costs

| Step | Writes | Time |
|---|---|---|
| Admission | 3 | 2 ms |
| Request | 1 | 1 ms |
| Answer | 4 | 3 ms |

- [x] Streams without showing a word twice
- [x] Survives a restart
- [ ] Reads your mind

That is all. See [the notes](https://example.com/notes) for more.`;
