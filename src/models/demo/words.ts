/** Stands in every form of the note, so that it is said once in a conversation. */
export const DEMO_MARK = "built-in demo model";

/** Who answers here, and how to get a real model. */
export const DEMO_NOTE =
  `*You are talking to the ${DEMO_MARK}: it follows simple rules, but its tool calls are real. For a real model set a ` +
  "key and restart: put `ANTHROPIC_API_KEY=…` or `OPENAI_API_KEY=…` into `.dev.vars`, or, for a deployment, run " +
  "`npx wrangler secret put ANTHROPIC_API_KEY` (or `OPENAI_API_KEY`).*";

export const HELP = `Here is what I can do. Try one of these:

- *What time is it in Tokyo?*
- *What is 17% of 2,340?*
- *Add a note: buy milk*, then *list my notes* or *search my notes for milk*
- *Read* https://example.com
- *Do something risky* (a webhook that waits for your approval)
- *Use several tools at once*
- *Ask me something*, or *ask me a few questions*
- *Ask a subagent to calculate 17% of 2,340*
- *Write something long*

Attach a file and I tell its name, type and size.`;

export const NOT_UNDERSTOOD = "I did not find anything in that which I know how to do.";

export const NOTHING_NEW = "There is nothing new to answer.";

export const THANKS_ANSWER = "You are welcome. What next?";

export const KEY_ANSWER =
  "For a real model set a key and restart. On this machine: put `ANTHROPIC_API_KEY=…` or `OPENAI_API_KEY=…` into the " +
  "file `.dev.vars` and run `npm start` again. For a deployment: `npx wrangler secret put ANTHROPIC_API_KEY` (or " +
  "`OPENAI_API_KEY`). Other providers, local ones included, are configured under `providers` in `althing.config.ts`.";

/** Before what a person asked to be reminded of: the note says by itself that no alarm will ring. */
export const REMINDER_PREFIX = "Reminder (no alarm will ring): ";

export const NO_SCHEDULER = "There is no scheduler here yet, so nothing will remind you.";

/** Text as a code span: one line, cut, without backticks. */
export function codeSpan(text: string, maxUnits = 200): string {
  const line = text.replaceAll(/\s+/g, " ").replaceAll("`", "'").trim();
  const shown = line.length <= maxUnits ? line : `${line.slice(0, maxUnits).toWellFormed()}…`;
  return shown === "" ? "(empty)" : `\`${shown}\``;
}

/** Somebody else's text as a Markdown quote. */
export function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** `a`, `a and b`, `a, b and c`. */
export function listing(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}
