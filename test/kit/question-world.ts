import { answerPrompt, Host, installPlugins, toolsOf } from "../../src/host/index.ts";
import type { Kernel } from "../../src/kernel/index.ts";
import type { Tier } from "../../src/people/facts.ts";
import { questionsPlugin } from "../../src/plugins/questions/plugin.ts";
import { QUESTIONS, type QuestionsState } from "../../src/plugins/questions/state.ts";
import type { GivenAnswer } from "../../src/protocol/frames.ts";
import type { QuestionCard, QuestionsView } from "../../src/protocol/questions.ts";
import { hostContext } from "./host-context.ts";
import type { KernelWorld } from "./kernel-world.ts";
import { nodeWorld } from "./node-world.ts";
import { callsThenText } from "./scenarios.ts";
import type { Script } from "./scripted-model.ts";
import type { WorldOptions } from "./world-options.ts";

export const ANNA = "p_anna";
export const BERT = "p_bert";
export const DAY = 24 * 3_600_000;

const host = new Host([questionsPlugin], hostContext());

/** A call of `ask_user`. */
export function ask(question: object): { readonly name: string; readonly args: string } {
  return { name: "ask_user", args: JSON.stringify(question) };
}

/** A call of `ask_questions`. */
export function askAll(...questions: readonly object[]): { readonly name: string; readonly args: string } {
  return { name: "ask_questions", args: JSON.stringify({ questions }) };
}

export const COLOUR = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };

/** What a world with the plugin is made with. */
export function asking(script: Script): WorldOptions {
  const facts = { key: "web:test", visibility: "private", owner: ANNA };
  return { facts, script, tools: toolsOf(host), register: (registry) => installPlugins(registry, host) };
}

/** The cards that a kernel shows. */
export function cardsIn(kernel: Kernel): readonly QuestionCard[] {
  return (kernel.snapshot().view.plugins["questions"] as unknown as QuestionsView).cards;
}

/** Answers a card as the object does. */
export function answerIn(
  kernel: Kernel,
  prompt: string,
  answers: readonly GivenAnswer[],
  {
    by = ANNA,
    tier = "member",
    visibility = "private",
  }: { by?: string; tier?: Tier; visibility?: "private" | "shared" } = {},
) {
  const name = by === ANNA ? "Anna" : "Bert";
  const conversation = {
    visibility,
    read: () => kernel,
    commit: <T>(build: Parameters<typeof kernel.commit<T>>[0]) => kernel.commit(build),
  };
  return answerPrompt(host, conversation, { prompt, answers: [...answers], by: { principalId: by, name, tier } });
}

/** A conversation with the real plugin on the kernel's test world. */
export class QuestionWorld {
  readonly world: KernelWorld;

  constructor(calls: readonly { readonly name: string; readonly args: string }[], script = callsThenText([...calls])) {
    this.world = nodeWorld(asking(script));
  }

  get kernel(): Kernel {
    return this.world.kernel;
  }

  get cards(): readonly QuestionCard[] {
    return cardsIn(this.kernel);
  }

  get card(): QuestionCard {
    const [card] = this.cards;
    if (!card) throw new Error("no question is open");
    return card;
  }

  get stored(): QuestionsState {
    return this.kernel.get(QUESTIONS);
  }

  say(text: string): void {
    this.kernel.submit({ key: `${ANNA}:${text}`, actor: ANNA, meta: null, content: [{ type: "text", text }] });
  }

  /** Starts, says "go" and lets the calls come to their cards. Time stands still. */
  async toCard(): Promise<QuestionCard> {
    this.world.start().resume();
    this.say("go");
    await this.settle();
    return this.card;
  }

  answer(answers: readonly GivenAnswer[], options: Parameters<typeof answerIn>[3] & { readonly prompt?: string } = {}) {
    return answerIn(this.kernel, options.prompt ?? this.card.prompt, answers, options);
  }

  /** Lets what can happen without time passing happen. */
  async settle(): Promise<void> {
    await this.world.run(() => false, this.world.clock.now());
  }
}
