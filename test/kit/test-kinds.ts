import type { TaskKind } from "../../src/kernel/registry/task-kind.ts";
import { Kinds } from "../../src/kernel/run/kinds.ts";

/** The loop's task kinds together with a test's own, which may do everything that the kernel's may. */
export class TestKinds extends Kinds {
  readonly #own = new Map<string, TaskKind>();

  add(kind: TaskKind): void {
    this.#own.set(kind.kind, kind);
  }

  override knows(kind: string): boolean {
    return this.#own.has(kind) || super.knows(kind);
  }

  override of(kind: string): TaskKind | undefined {
    return this.#own.get(kind) ?? super.of(kind);
  }
}
