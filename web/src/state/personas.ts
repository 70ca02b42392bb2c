import type { Me, SettingsBody } from "../../../src/protocol/rest.ts";
import type { View } from "../../../src/protocol/view.ts";
import { chatOf } from "./cards.ts";

/** Who answers in a conversation, and who could. */
export interface PersonaChoice {
  readonly kind: string;
  readonly all: Me["personas"];
  /** The deployment has it. */
  readonly isHere: boolean;
}

/** @param wishes what was chosen before the conversation exists. */
export function personaOf(me: Me, view: View | undefined, wishes: SettingsBody): PersonaChoice {
  const kind = chatOf(view).persona ?? wishes.persona ?? me.defaultPersona;
  return { kind, all: me.personas, isHere: me.personas.some((one) => one.kind === kind) };
}

/** There is something to choose. */
export function hasChoice({ all, isHere }: PersonaChoice): boolean {
  return all.length > 1 || (!isHere && all.length > 0);
}
