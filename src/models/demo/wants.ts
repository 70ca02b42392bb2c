import type { FileRef, UserMessage } from "../../protocol/message.ts";
import { expressionsIn } from "./arithmetic.ts";
import { textOf } from "./history.ts";
import { placesIn } from "./places.ts";

/** One thing that a person asks for. */
export type Want =
  | { readonly kind: "time"; readonly zone?: string }
  | { readonly kind: "calculate"; readonly expression: string }
  | { readonly kind: "add-note"; readonly text: string }
  | { readonly kind: "search-notes"; readonly query: string }
  | { readonly kind: "list-notes" }
  | { readonly kind: "delete-note"; readonly id: string }
  | { readonly kind: "reminder"; readonly text: string }
  | { readonly kind: "page"; readonly url: string }
  | { readonly kind: "risky"; readonly words: string }
  | { readonly kind: "several" }
  | { readonly kind: "subagent"; readonly task: string }
  | { readonly kind: "ask"; readonly several: boolean }
  | { readonly kind: "long" }
  | { readonly kind: "file"; readonly file: FileRef }
  /** What came of a call that ran outside of a turn: `text` is what the host says of it. */
  | { readonly kind: "news"; readonly text: string }
  | { readonly kind: "key" }
  | { readonly kind: "thanks" }
  | { readonly kind: "help" }
  | { readonly kind: "unknown" };

/** Units of a message that are looked at. */
const MAX_READ_UNITS = 4_000;

const POLITE =
  /^(?:(?:please|hey|hi|hello|ok(?:ay)?|now|then|and|also|so|well|just|can you|could you|would you|will you|i want you to|i'd like you to|let's)\b[\s,!.]*)+/i;
const NEWS = /^\[System\] The call of /;
/** What the kernel tells models of messages that are gone: nobody asks for it. */
const EARLIER_GONE =
  /^(?:\(Earlier messages are not part|Summary of the earlier part of this conversation|Earlier messages of this conversation that were pinned)/;
const REMINDER =
  /^(?:remind me|(?:set|create|make|add)\s+(?:me\s+)?(?:a|an|another)\s+(?:reminder|alarm)|reminder)\b[\s:,]*(?:to|that|about|for)?\s*(.*)$/is;
const ADD_NOTE =
  /^(?:(?:add|make|take|write|keep|save|create|leave)\s+(?:me\s+)?(?:a|an|another|this|the)?\s*(?:new\s+|quick\s+|short\s+)?note|note(?:\s+down)?|remember|write\s+down|jot\s+down)\b\s*(?:that\b|to\b|of\b|saying\b|about\b)?\s*[:,-]?\s*(.*)$/is;
const DELETE_NOTE = /\b(?:delete|remove|forget|erase)\b[^.?!]{0,60}?\b(n\d{1,9})\b/i;
const SEARCH_NOTES: readonly RegExp[] = [
  /\b(?:search|find|look|check)\b[^.?!]{0,40}?\bnotes?\b[^.?!]{0,20}?\b(?:for|about|with|on|containing|mentioning)\s+(.+)$/is,
  /\bwhat (?:did|have) i (?:note|noted|write down|written down|tell you|told you) (?:down )?about\s+(.+)$/is,
  /\bnotes? (?:about|mentioning|containing)\s+(.+)$/is,
];
const LIST_NOTES =
  /\b(?:list|show|read|see|display|give|what are|which|all|have i|do i have)\b[^.?!]{0,40}?\bnotes\b|^(?:my |the )?notes\W*$/i;
const SEVERAL =
  /\b(?:several|many|multiple|some|a few|all|different|two|three|four|five)\b[^.?!]{0,20}?\btools\b|\btools\b[^.?!]{0,20}?\b(?:at once|together|in parallel)\b|\bthings at once\b/i;
const LONG =
  /\b(?:something|anything|a|an?other|very|really) long\b|\blong (?:text|answer|story|essay|article|message|reply)\b|\b(?:write|tell)\b[^.?!]{0,30}?\b(?:essay|story|article|poem|report)\b|\blorem ipsum\b/i;
const RISKY =
  /\bwebhook\b|\bsend_webhook\b|\brisky\b|\bdangerous\b|\b(?:call|trigger|start|run|kick off|ping|notify)\b[^.?!]{0,30}?\b(?:build|deploy|deployment|hook)\b/i;
const ASKS_ABOUT = /^(?:what|why|how|who|when|explain|tell me about)\b/i;
const URL_TEXT = /\bhttps?:\/\/[^\s<>"'`]+/gi;
const BARE_SITE =
  /\b(?:fetch|read|open|visit|load|get|summari[sz]e|look at)\s+(?:the\s+)?(?:page\s+|site\s+|website\s+)?(?:at\s+|of\s+)?((?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?:\/[^\s<>"'`]*)?)/i;
const TIME =
  /\bwhat(?:'s| is)?(?: the)?(?: current| local)? time\b|\btime (?:is it|now|in|for)\b|\b(?:the|current|local) time\b|\bwhat(?:'s| is)?(?: the)? (?:day|date)\b|\btoday's date\b|\bwhat day\b|^time\W*$/i;
const PLACE_TIME = /^(?!what|whats|the|current|local)([a-z][a-z .'-]{1,30}?)\s+time(?:\s+please)?\W*$/i;
const KEY = /\b(?:api key|set a key|set the key|which key|real model|another model|dev\.vars)\b/i;
const THANKS = /^(?:thanks?|thank you|great|perfect|cool|nice|awesome|well done)\b[^?]{0,40}$/i;

const SUBAGENT =
  /^(?:(?:ask|use|run|start|send|have|let)\s+(?:a|the|another)\s+sub-?agent|sub-?agent)\b[\s:,-]*(?:to|for|that|about|and)?\b[\s:,-]*(.*)$/is;

const ASK = /^ask me\b(.*)|^(?:have you got|do you have) (?:a|any) questions?\b(.*)|\bask_(user|questions)\b/is;
const ASK_SEVERAL = /(?:\b|_)(?:questions|several|some|few|many|two|three|four|five)\b/i;

const HELP =
  /^(?:hi|hello|hey|yo|good (?:morning|day|afternoon|evening)|help|\?+)\b|\bwhat can you\b|\bwho are you\b|\bwhat are you\b|\bhelp me\b|^\?+$/i;

/** What one message asks for, in order. Never empty for a message that says something. */
export function readWants(message: UserMessage): readonly Want[] {
  const text = textOf(message).slice(0, MAX_READ_UNITS).trim();
  if (NEWS.test(text)) return [{ kind: "news", text: textOf(message).trim() }];
  if (EARLIER_GONE.test(text)) return [];
  const files = message.content.flatMap((part): Want[] =>
    part.type === "file" ? [{ kind: "file", file: part.file }] : [],
  );
  const wants = text === "" ? [] : readText(text.replace(POLITE, "").trim(), text);
  const isFileOnly = files.length > 0 && wants.every(({ kind }) => kind === "help" || kind === "unknown");
  return isFileOnly ? files : [...files, ...wants];
}

function readText(request: string, whole: string): readonly Want[] {
  const kept = readKept(request);
  if (kept !== undefined) return [kept];
  const wants = readAll(request);
  if (wants.length > 0) return wants;
  if (KEY.test(whole)) return [{ kind: "key" }];
  if (THANKS.test(whole)) return [{ kind: "thanks" }];
  return [{ kind: HELP.test(whole) ? "help" : "unknown" }];
}

/** What takes the rest of the message as its own words, so that nothing in them is asked for. */
function readKept(request: string): Want | undefined {
  const ask = ASK.exec(request);
  if (ask) return { kind: "ask", several: ASK_SEVERAL.test(ask[0]) };
  const task = SUBAGENT.exec(request)?.[1];
  if (task !== undefined) return { kind: "subagent", task: task.trim() };
  const reminder = REMINDER.exec(request)?.[1];
  if (reminder !== undefined) return { kind: "reminder", text: reminder.trim() };
  const deleted = DELETE_NOTE.exec(request)?.[1];
  if (deleted !== undefined) return { kind: "delete-note", id: deleted.toLowerCase() };
  const note = ADD_NOTE.exec(request)?.[1];
  if (note !== undefined) return { kind: "add-note", text: note.trim() };
  const query = SEARCH_NOTES.map((pattern) => pattern.exec(request)?.[1]).find((found) => found !== undefined);
  return query === undefined ? undefined : { kind: "search-notes", query: query.replace(/[\s?!."]+$/, "") };
}

function readAll(request: string): readonly Want[] {
  if (SEVERAL.test(request)) return [{ kind: "several" }];
  const urls = urlsIn(request);
  const rest = request.replaceAll(URL_TEXT, " ").replace(PLACE_TIME, "time in $1");
  const wants: Want[] = urls.map((url) => ({ kind: "page", url }));
  if (TIME.test(rest)) wants.push(...timesIn(rest));
  wants.push(...expressionsIn(rest).map((expression): Want => ({ kind: "calculate", expression })));
  if (LIST_NOTES.test(rest)) wants.push({ kind: "list-notes" });
  if (RISKY.test(rest) && !ASKS_ABOUT.test(rest)) wants.push({ kind: "risky", words: request });
  if (LONG.test(rest)) wants.push({ kind: "long" });
  return wants;
}

function timesIn(text: string): readonly Want[] {
  const zones = placesIn(text);
  return zones.length === 0 ? [{ kind: "time" }] : zones.map((zone) => ({ kind: "time", zone }));
}

function urlsIn(text: string): readonly string[] {
  const full = (text.match(URL_TEXT) ?? []).map((url) => url.replace(/[).,;:!?\]]+$/, ""));
  if (full.length > 0) return [...new Set(full)];
  const bare = BARE_SITE.exec(text)?.[1]?.replace(/[).,;:!?\]]+$/, "");
  return bare === undefined ? [] : [`https://${bare}`];
}
