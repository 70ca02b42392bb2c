import type { Json } from "../../src/lib/json.ts";
import type { CardChoices, HoldCard } from "../../src/protocol/cards.ts";
import type { LiveText, ServerFrame } from "../../src/protocol/frames.ts";
import { foldOps } from "../../src/protocol/ops.ts";
import type { View } from "../../src/protocol/view.ts";

/** What a client knows of a conversation: folds every frame, and notes each gap, duplicate and wrong offset. */
export class StrictReplica {
  readonly violations: string[] = [];
  readonly live = new Map<string, LiveText>();
  rev = 0;
  view: View | undefined;
  /** What the client's person may do with the cards. */
  choices: readonly CardChoices[] = [];

  get cards(): readonly HoldCard[] {
    const holds = this.view?.plugins["holds"] as unknown as { readonly cards: readonly HoldCard[] } | undefined;
    return holds?.cards ?? [];
  }

  /** Takes what concerns the conversation; answers to the client's own frames are somebody else's. */
  take(frame: ServerFrame): void {
    switch (frame.type) {
      case "snapshot":
        if (frame.rev < this.rev) this.violations.push(`the revision went back from ${this.rev} to ${frame.rev}`);
        this.rev = frame.rev;
        this.view = frame.view;
        return this.#setLive(frame.live);
      case "ready":
        if (frame.rev !== this.rev) this.violations.push(`ready says ${frame.rev}, the client has ${this.rev}`);
        return this.#setLive(frame.live);
      case "commit":
        return this.#fold(frame);
      case "delta":
        return this.#addDelta(frame);
      case "choices":
        this.choices = frame.cards;
        return;
      case "receipt":
      case "page":
      case "decided":
      case "error":
      case "reauth":
      case "authorized":
        return;
    }
  }

  #setLive(live: readonly LiveText[] = []): void {
    this.live.clear();
    for (const text of live) this.live.set(`${text.task}:${text.channel}`, text);
  }

  #fold(frame: Extract<ServerFrame, { type: "commit" }>): void {
    if (frame.rev !== this.rev + 1) this.violations.push(`revision ${frame.rev} followed ${this.rev}`);
    this.rev = frame.rev;
    try {
      this.view = foldOps(this.view as unknown as Json, frame.ops) as unknown as View;
    } catch (error) {
      this.violations.push(`fold failed at ${frame.rev}: ${String(error)}`);
    }
    if (!this.view?.turn) this.live.clear();
  }

  #addDelta({ task, attempt, channel, offset, text }: Extract<ServerFrame, { type: "delta" }>): void {
    const key = `${task}:${channel}`;
    const before = this.live.get(key);
    const known = before?.attempt === attempt ? before.text : "";
    if (channel !== "progress" && offset !== known.length) {
      this.violations.push(`delta of ${key} attempt ${attempt} at ${offset}, the client has ${known.length}`);
    }
    this.live.set(key, { task, attempt, channel, text: channel === "progress" ? text : known + text });
  }
}
