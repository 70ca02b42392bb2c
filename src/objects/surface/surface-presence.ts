import type { CompleteSurface } from "../../host/index.ts";
import type { Kernel } from "../../kernel/index.ts";
import type { KernelEvent } from "../../protocol/frames.ts";

/**
 * Shows on a network that a turn runs: typing, a stop control, lines of progress. Lives in memory: a life that comes after a
 * death begins it anew, and the reply of the turn ends it on the network whatever became of this.
 */
export class SurfacePresence {
  readonly #surface: CompleteSurface;
  readonly #channel: string;
  #shown: { readonly turn: number; readonly end: () => void } | undefined;

  constructor(surface: CompleteSurface, channel: string) {
    this.#surface = surface;
    this.#channel = channel;
  }

  /** Called when the conversation opens and after each commit. */
  follow({ turn }: Pick<Kernel["control"], "turn">, events: readonly KernelEvent[]): void {
    if (this.#shown?.turn !== turn?.task) this.#show(turn?.task);
    for (const event of events) {
      const tool = turn?.tools.find(({ task }) => task === event["task"])?.name;
      if (tool === undefined) continue;
      if (event.type === "tool.started") this.#progress(tool, "started");
      if (event.type === "tool.finished") this.#progress(tool, event["outcome"] === "ok" ? "done" : "failed");
    }
  }

  #show(turn: number | undefined): void {
    this.#shown?.end();
    this.#shown = undefined;
    if (turn === undefined) return;
    const ends = [this.#surface.startTyping(this.#channel), this.#surface.showStop(this.#channel)];
    this.#shown = {
      turn,
      end() {
        for (const end of ends) end();
      },
    };
  }

  #progress(tool: string, state: "started" | "done" | "failed"): void {
    void this.#surface.progress(this.#channel, { kind: "tool", tool, state });
  }
}
