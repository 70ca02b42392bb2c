/** Projection of the namespace `questions`: open cards first, then answered ones until the result of their call is placed. */
export interface QuestionsView {
  readonly cards: readonly QuestionCard[];
}

/** A card that asks. The words on it are the model's, escaped by the host. */
export interface QuestionCard {
  /** Names the card in an answer. */
  readonly prompt: string;
  readonly task: number;
  /** The principal whom it is put to. */
  readonly speaker: string;
  /** Milliseconds since 1970, as every instant here. */
  readonly askedAt: number;
  readonly deadline: number;
  readonly questions: readonly ShownQuestion[];
  readonly status: "open" | "answered" | "expired";
  readonly answered?: {
    readonly by: string;
    readonly at: number;
    /** In the order of the questions; null: no answer was given. */
    readonly answers: readonly (ShownAnswer | null)[];
  };
}

export interface ShownQuestion {
  /** Line feeds are the question's own; everything else that could deceive is spelled out. */
  readonly text: string;
  /** None: the answer is free text. */
  readonly options: readonly ShownOption[];
  /** Several options may be chosen, or none. */
  readonly multi: boolean;
  /** The person may write instead of, or with `multi` besides, choosing. */
  readonly allowOther: boolean;
}

export interface ShownOption {
  readonly label: string;
  readonly description?: string;
}

export interface ShownAnswer {
  /** In the order in which they were offered. */
  readonly choices: readonly string[];
  /** The beginning of what the person wrote. */
  readonly text?: string;
}
