import { utf8Bytes } from "../../lib/bytes.ts";
import type { AssistantMessage } from "../../protocol/message.ts";

/** The summary in an answer, or why it is none that can be used. */
export type Judged = { readonly text: string } | { readonly complaint: string };

/** @param most UTF-8 bytes that the summary may have. */
export function judgeAnswer({ content, stop }: AssistantMessage, most: number): Judged {
  if (content.some((part) => part.type === "call")) return { complaint: "it called a tool instead of writing." };
  if (stop === "refusal") return { complaint: "the model declined to write it." };
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  if (stop === "length") return { complaint: "it was cut off at the limit of an answer: write less." };
  return judgeText(text, most);
}

/** A summary made by anybody. */
export function judgeText(words: string, most: number): Judged {
  const text = words.trim();
  if (text === "") return { complaint: "it was empty." };
  const bytes = utf8Bytes(text);
  return bytes > most ? { complaint: `it had ${bytes} bytes, the limit is ${most}: write less.` } : { text };
}
