/** Projection of the namespace `holds`: open cards first, then recently decided ones until their result is placed. */
export interface HoldsView {
  readonly cards: readonly HoldCard[];
  /** Cards that expired or changed and were not asked again, newest last. */
  readonly again: readonly EndedHoldRef[];
}

/** A card that ended without an answer, and the call that it was about. */
export interface EndedHoldRef {
  readonly hold: string;
  /** The assistant entry that holds the call, and the call's index among its calls. */
  readonly entry: number;
  readonly index: number;
  readonly status: "expired" | "changed";
}

/** A card: what would run, rendered by the host from the stored call. */
export interface HoldCard {
  /** ULID of the hold. */
  readonly hold: string;
  readonly task: number;
  /** Hex SHA-256 of exactly what would run; a decision must repeat it. */
  readonly digest: string;
  readonly tool: string;
  /** One line: what it would do, e.g. "POST JSON to the webhook build". Escaped. */
  readonly action: string;
  /** Whom or what it touches. Escaped. */
  readonly target: string | null;
  /** Every argument in canonical order. Values are escaped JSON text, cut where long. */
  readonly args: readonly CardArgument[];
  /** True when any value was cut: the page offers "view all" before Approve is enabled. */
  readonly truncated: boolean;
  /** Text to take along, escaped but for its line breaks. `cut`: it was too long to be shown whole. */
  readonly copy?: { readonly text: string; readonly cut?: boolean };
  /** Files of the conversation that it is about; a press approves exactly their bytes. */
  readonly files?: readonly CardFile[];
  /** It was taken back by what made it, not stopped by a person. */
  readonly withdrawn?: true;
  readonly askedBy: string;
  readonly askedAt: number;
  /** The owner whom somebody handed the question to. Who may answer does not follow from it. */
  readonly askedOf?: string;
  /** It asks again what an earlier card asked; what had changed since that was shown. */
  readonly again?: { readonly changes: readonly string[] };
  readonly deadline: number;
  readonly minTier: string;
  readonly status: HoldStatus;
  /** A person changed the arguments: `args` are what would run, `before` is what they put them in place of. */
  readonly edit?: { readonly by: string; readonly before: readonly EditedArgument[] };
  /** Who decided, when, and why, once decided. */
  readonly decision?: {
    readonly by: string;
    readonly at: number;
    readonly note?: string;
    /** It was approved in advance. */
    readonly byRule?: true;
  };
}

/** What somebody may do with a card. `always`: together with an approval, allow calls like it in advance. */
export type CardChoice = "approve" | "decline" | "edit" | "always" | "extend" | "hand_over" | "ask_again";

/** What one person may do with one card, as a press on it would be judged. The view has none: it is the same for all. */
export interface CardChoices {
  readonly hold: string;
  readonly may: readonly CardChoice[];
  /** Where that is nothing: who may decide, in a sentence. */
  readonly why?: string;
}

/** An argument as it was before an edit. `value` null: there was none. */
export interface EditedArgument {
  readonly name: string;
  readonly value: string | null;
  readonly cut?: CardArgument["cut"];
}

export interface CardArgument {
  readonly name: string;
  readonly value: string;
  /** Full length in UTF-16 units and SHA-256 (hex) of the whole value, when `value` is cut. */
  readonly cut?: { readonly length: number; readonly sha256: string };
}

/** A file on a card: its name, escaped, and how the SHA-256 of its bytes begins (16 hex digits). */
export interface CardFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

export type HoldStatus = "open" | "approved" | "declined" | "expired" | "cancelled" | "changed" | "unavailable";
