import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Persona } from "./persona.ts";

/** The persona of a kind, or the sentence that a turn fails with. */
export function choosePersona(kind: string, personas: readonly Persona[]): Result<Persona, string> {
  const found = personas.find((persona) => persona.kind === kind);
  if (found) return ok(found);
  const kinds = personas.map((persona) => persona.kind);
  const close = nearest(kind, kinds);
  const hint =
    close !== undefined
      ? `did you mean ${close}?`
      : kinds.length > 0
        ? `there are ${kinds.join(", ")}.`
        : "no plugin has any.";
  return err(
    `There is no persona ${JSON.stringify(kind)} here: ${hint} Choose another one, or switch its plugin on again.`,
  );
}
