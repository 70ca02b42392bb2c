import { describe, expect, it } from "vitest";
import { err, ok } from "../../../src/lib/result.ts";
import type { WaitingCard } from "../../../src/protocol/waiting.ts";
import { idOf, WaitingList } from "../../../web/src/app/waiting-list.ts";
import type { Rest } from "../../../web/src/net/rest.ts";
import { settle } from "./fake-world.ts";

const card = (hold: string): WaitingCard => ({
  kind: "approval",
  conversation: "c",
  title: "",
  shared: false,
  hold,
  tool: "send",
  action: "POST",
  askedBy: "Ada",
  askedAt: 1,
  deadline: 2,
  minTier: "member",
});

/** A list whose questions the test answers, one after the other. */
function makeList() {
  const answers: ((answer: Awaited<ReturnType<Rest["waiting"]>>) => void)[] = [];
  const world = { isHidden: false };
  const waiting = () => new Promise<Awaited<ReturnType<Rest["waiting"]>>>((resolve) => answers.push(resolve));
  const timers: (() => void)[] = [];
  const list = new WaitingList({
    rest: { waiting } as Partial<Rest> as Rest,
    isHidden: () => world.isHidden,
    after(_ms, run) {
      timers.push(run);
      return () => undefined;
    },
  });
  return { list, answers, world, timers };
}

describe("the list of what waits", () => {
  it("[L-90] asks nothing while nobody looks", async () => {
    const { list, answers, world } = makeList();
    world.isHidden = true;
    await list.refresh();
    expect(answers).toHaveLength(0);
    world.isHidden = false;
    void list.refresh();
    expect(answers).toHaveLength(1);
  });

  it("[L-90] asks once more after a question under way, however often it was told meanwhile, and shows the newest answer", async () => {
    const { list, answers } = makeList();
    void list.refresh();
    void list.refresh();
    void list.refresh();
    answers[0]?.(ok({ cards: [card("old")], more: false }));
    await settle();
    expect(answers).toHaveLength(2);
    answers[1]?.(ok({ cards: [card("a"), card("b")], more: true }));
    await settle();
    expect(answers).toHaveLength(2);
    expect(list.cards.value.map(idOf)).toEqual(["a", "b"]);
    expect(list.more.value).toBe(true);
  });

  it("[L-90] keeps what it knew when the server cannot say", async () => {
    const { list, answers } = makeList();
    void list.refresh();
    answers[0]?.(ok({ cards: [card("a")], more: false }));
    await settle();
    void list.refresh();
    answers[1]?.(err({ status: 503, code: "unavailable", message: "" }));
    await settle();
    expect(list.cards.value).toHaveLength(1);
    void list.refresh();
    expect(answers).toHaveLength(3);
  });

  it("[L-166] lets go of what was answered at once, and reads again when the server was told", async () => {
    const { list, answers, timers } = makeList();
    void list.refresh();
    answers[0]?.(ok({ cards: [card("a"), card("b")], more: false }));
    await settle();
    const [first] = list.cards.value;
    if (first) list.drop(first);
    expect(list.cards.value.map(idOf)).toEqual(["b"]);
    for (const run of timers) run();
    expect(answers).toHaveLength(2);
  });
});
