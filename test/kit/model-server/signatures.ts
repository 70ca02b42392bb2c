import { digest, promptText } from "./hash.ts";
import { list, type Obj, obj, str } from "./reading.ts";

/** What a signature proves: model and text of the block, and the prompt of so many messages that it was made under. */
interface Binding {
  readonly model: string;
  readonly text: string;
  readonly prompt: string;
  readonly messages: number;
}

/** Signs a thinking block for the request that it answers. */
export function sign(body: Obj, text: string): string {
  return write({ model: str(body.model), text, prompt: promptOf(body), messages: list(body.messages).length });
}

function write({ model, text, prompt, messages }: Binding): string {
  return `sig.${digest(`${model}|${text}`)}.${messages}.${digest(prompt)}`;
}

function promptOf(body: Obj, messages = list(body.messages)): string {
  return promptText([body.system, body.tools, messages]);
}

/** `altered`: text or model differ from what was signed. `moved`: the prompt before it changed since. */
export function verify(body: Obj, text: string, signature: string): "good" | "unsigned" | "altered" | "moved" {
  const [mark, textDigest, count, promptDigest] = signature.split(".");
  if (mark !== "sig") return "unsigned";
  if (textDigest !== digest(`${str(body.model)}|${text}`)) return "altered";
  const before = list(body.messages).slice(0, Number(count));
  return promptDigest === digest(promptOf(body, before)) ? "good" : "moved";
}

/** Encrypts reasoning (in name only) for the input that it answers. */
export function encrypt(body: Obj, summary: string): string {
  const input = list(body.input);
  return `enc.${digest(summary)}.${input.length}.${digest(promptText([body.tools, input]))}`;
}

/** The same for a reasoning item: its summary, and the input before it. */
export function decrypt(body: Obj, item: Obj): "good" | "altered" | "moved" {
  const summary = list(item.summary)
    .map((part) => str(obj(part).text))
    .join("\n\n");
  const [mark, textDigest, count, promptDigest] = str(item.encrypted_content).split(".");
  if (mark !== "enc" || textDigest !== digest(summary)) return "altered";
  const before = list(body.input).slice(0, Number(count));
  return promptDigest === digest(promptText([body.tools, before])) ? "good" : "moved";
}
