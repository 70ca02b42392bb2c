import type { Section } from "../../kernel/index.ts";

/** Who answers in a conversation. */
export interface Persona {
  /** `^[a-z][a-z0-9-]{0,31}$`; stored with conversations that chose it. */
  readonly kind: string;
  /** What people read. */
  readonly label: string;
  /** The beginning of the system prompt. */
  readonly prompt: string;
  /** More of the prompt, only where this persona answers. */
  readonly sections?: readonly Section[];
}
