import type { ModelRequest } from "../../kernel/ports/model.ts";
import { textOf } from "./history.ts";

const QUESTION = /^<question>\n(.*)\n<\/question>$/s;
/** Words that stand for an answer, where the data does not name it itself. */
const MEANT: { readonly [choice: string]: RegExp } = {
  yes: /\b(yes|yep|sure|ok|okay|true)\b/i,
  no: /\b(no|nope|not|never|false)\b/i,
  approve: /\b(yes|yep|sure|ok|okay|approved?|go ahead|do it)\b/i,
  decline: /\b(no|nope|don't|do not|declined?|stop|never)\b/i,
};
const SURE = 0.95;
const UNSURE = 0.5;

/** The judgement that a request asks for, as one line of JSON. Undefined: it asks for something else. */
export function judgementAskedFor({ messages, tools }: ModelRequest): string | undefined {
  const [asked] = messages;
  if (tools.length > 0 || messages.length !== 1 || asked?.role !== "user") return undefined;
  const json = QUESTION.exec(textOf(asked))?.[1];
  if (json === undefined) return undefined;
  const { choices, about } = JSON.parse(json) as {
    readonly choices: readonly string[] | "score";
    readonly about: unknown;
  };
  const words = typeof about === "string" ? about : JSON.stringify(about);
  if (choices === "score") return answer("0.5", UNSURE);
  const fitting = choices.filter((choice) => names(choice, words));
  const [only] = fitting;
  return fitting.length === 1 && only !== undefined ? answer(only, SURE) : answer(choices.at(-1) ?? "", UNSURE);
}

function names(choice: string, words: string): boolean {
  const meant = Object.hasOwn(MEANT, choice) ? MEANT[choice] : undefined;
  return meant?.test(words) ?? words.toLowerCase().includes(choice.toLowerCase());
}

function answer(choice: string, confidence: number): string {
  return JSON.stringify({ choice, confidence });
}
