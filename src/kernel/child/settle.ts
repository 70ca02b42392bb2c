import { cutBytes, utf8Bytes } from "../../lib/bytes.ts";
import { cutText } from "../../lib/cut.ts";
import type { FileRef } from "../../protocol/message.ts";
import { addUsage } from "../../protocol/message.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_CHILD_FILES, MAX_CHILD_RESULT_BYTES } from "../limits.ts";
import type { ChildReport } from "../ports/children.ts";
import { type Control, taskOf } from "../state/control.ts";
import { CHILD } from "../state/kinds.ts";

/** Result in the receipt of an owned conversation that answered. */
export type ChildResult = { readonly text: string; readonly files: readonly Pick<FileRef, keyof FileRef>[] };

/** True when somebody still waits for the conversation of this task. */
export function isChildWanted(control: Control, id: number): boolean {
  const task = taskOf(control, id);
  // In what was put back from a backup nobody waits any more, also before that has ended.
  return task?.kind === CHILD && !task.aborting && control.restored === undefined;
}

/** Takes the report of an owned conversation, once. False: nobody waits for it any more. */
export function settleChild(tx: Tx, id: number, { outcome, text, files, usage }: ChildReport): boolean {
  if (!isChildWanted(tx.control, id)) return false;
  tx.control.usage = addUsage(tx.control.usage, usage);
  const fitting = fitText(text);
  if (outcome === "answered") {
    const result: ChildResult = { text: fitting, files: files.slice(0, MAX_CHILD_FILES).map((file) => ({ ...file })) };
    tx.finish(id, "completed", result);
  } else {
    tx.finish(id, "failed", { error: fitting });
  }
  return true;
}

/** The beginning of a text that fits as JSON, where some units take several bytes. */
function fitText(text: string): string {
  let fitting = cutBytes(text, MAX_CHILD_RESULT_BYTES);
  for (;;) {
    const bytes = utf8Bytes(JSON.stringify(fitting));
    if (bytes <= MAX_CHILD_RESULT_BYTES) return fitting;
    fitting = cutText(fitting, Math.floor((fitting.length * MAX_CHILD_RESULT_BYTES) / bytes) - 1);
  }
}
