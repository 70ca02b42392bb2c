import { cutText } from "../../lib/cut.ts";
import type { JsonObject } from "../../lib/json.ts";
import { describeCall, isReminder, readArgs } from "./calls.ts";
import type { AnsweredCall } from "./history.ts";
import { describeOutcome, plainWords, readOutcome } from "./outcome.ts";
import { codeSpan, NO_SCHEDULER, quote } from "./words.ts";

/** Units of somebody else's text that are quoted. */
const MAX_QUOTE_UNITS = 600;
/** Units of a list of notes that are repeated. */
const MAX_LIST_UNITS = 4_000;

/** What came of a call, told to the person: no more than the result says. */
export function reportCall({ call, result }: AnsweredCall): string {
  const args = readArgs(call.args);
  const outcome = readOutcome(result);
  const words = plainWords(result);
  if (outcome === "ok") return reportSuccess(call.name, args, words);
  return capitalise(describeOutcome(outcome, describeCall(call.name, args), cutText(words, MAX_QUOTE_UNITS)));
}

function reportSuccess(name: string, args: JsonObject, words: string): string {
  switch (name) {
    case "current_time":
      return `It is ${words}.`;
    case "calculate":
      return codeSpan(words, 1_500);
    case "add_note":
      return isReminder(args) ? `${NO_SCHEDULER} I kept it as a note instead. ${words}` : words;
    case "list_notes":
    case "search_notes":
    case "delete_note":
      return cutText(words, MAX_LIST_UNITS);
    case "fetch_page":
      return `The page begins like this, in its own words:\n\n${quote(excerpt(words))}`;
    case "run_subagent":
      return reportLines("The subagent answered:", words);
    case "ask_user":
    case "ask_questions":
      return reportLines("Thank you. This is what I was told:", words);
    case "send_webhook":
      return reportLines("The webhook was called.", words);
    default:
      return reportLines(`${capitalise(describeCall(name, args))} gave a result.`, words);
  }
}

/** News of a call that ran outside of a turn, as the host tells it. */
export function reportNews(text: string): string {
  const [head = "", ...rest] = text.split("\n");
  const sentence = head.replace("[System] ", "").replace(" What follows is its result:", "");
  return reportLines(
    `News of a call that was waiting. ${sentence}`,
    plainWords({ ...NEWS, content: [{ type: "text", text: rest.join("\n") }] }),
  );
}

const NEWS = { role: "tool", callId: "", name: "", isError: true } as const;

function reportLines(sentence: string, words: string): string {
  const shown = cutText(words, MAX_QUOTE_UNITS);
  return shown === "" ? sentence : `${sentence}\n\n${quote(shown)}`;
}

/** The beginning of a page without the lines that fence it. */
function excerpt(text: string): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith("=== page from "));
  const end = lines.lastIndexOf("=== end of the page ===");
  const inside = lines.slice(start + 1, end < 0 ? undefined : end).join("\n");
  const shown = cutText(inside.trim(), MAX_QUOTE_UNITS);
  return shown.length < inside.trim().length ? `${shown}…` : shown;
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
