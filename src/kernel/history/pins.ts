import { utf8Bytes } from "../../lib/bytes.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { PINS, pinsDocument, pinsOf } from "../commit/documents.ts";
import type { Tx } from "../commit/tx.ts";
import { pinText } from "../context/pinned.ts";
import { MAX_PIN_BYTES, MAX_PINS } from "../limits.ts";
import { holdsId } from "../state/spans.ts";
import type { Entry } from "../storage/entries.ts";

/** Why an entry is not pinned. `no_such_entry`: it is not shown, or nobody said it. */
export type PinRefusal = "no_such_entry" | "too_many_pins" | "pins_too_large";

/** Pins an entry or takes the pin away, inside a commit. Repeating it changes nothing. */
export function setPin(tx: Tx, id: number, on: boolean): Result<void, PinRefusal> {
  const pins = pinsOf(tx.namespaces.slices);
  if (!on) {
    if (pins.includes(id)) tx.namespaces.putDocument(PINS, pinsDocument(pins.filter((pin) => pin !== id)));
    return ok(undefined);
  }
  if (pins.includes(id)) return ok(undefined);
  const entry = tx.entry(id);
  if (!entry || !isSaid(entry) || holdsId(tx.control.left, id)) return err("no_such_entry");
  if (pins.length >= MAX_PINS) return err("too_many_pins");
  const next = [...pins, id];
  const bytes = next.reduce((sum, pin) => sum + pinBytes(tx.entry(pin)), 0);
  if (bytes > MAX_PIN_BYTES) return err("pins_too_large");
  tx.namespaces.putDocument(PINS, pinsDocument(next));
  return ok(undefined);
}

function isSaid({ message }: Entry): boolean {
  return message?.role === "user" || message?.role === "assistant";
}

function pinBytes(entry: Entry | undefined): number {
  return entry?.message ? utf8Bytes(pinText(entry.message)) : 0;
}
