import { describe, expect, it } from "vitest";
import type { CardChoices } from "../../src/protocol/cards.ts";
import { ChatSocket } from "../kit/chat-socket.workers.ts";
import { STANDING } from "../kit/press-routes.workers.ts";
import { Stage } from "../kit/stage.workers.ts";
import { Talk } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const ALL = ["approve", "decline", "edit", "always", "extend", "hand_over"];
const NOT_ASKED = "Only the person who asked and the owners may decide this.";

/** A room in which a call of Anna's waits; Bert is in it as well. */
async function waiting() {
  const stage = new Stage();
  stage.script = (_, nth) =>
    nth === 0
      ? { calls: [{ name: "send_webhook", args: '{"target":"build","body":{"ref":"main"}}' }] }
      : { text: "Done." };
  const { owner, others } = await Talk.room(stage, ["Anna", "Bert"]);
  const [anna, bert] = others;
  if (!anna || !bert) throw new Error("nobody came");
  const card = await anna.toCard();
  return { owner, anna, bert, card };
}

const follow = (talk: Talk) => ChatSocket.follow(talk.stage, talk.caller);

/** Waits for choices that fit, and gives those of the first card. */
async function told(socket: ChatSocket, fits: (choices: readonly CardChoices[]) => boolean) {
  await socket.until(() => fits(socket.replica.choices), "choices that fit");
  return socket.replica.choices[0];
}

const countOf = (socket: ChatSocket) => socket.frames.filter(({ type }) => type === "choices").length;

describe("what people may do with a card, as they are told", () => {
  it("[W-70] [W-73] each hears their own when a card opens and when it ends, and one view for all", async () => {
    const stage = new Stage();
    stage.script = (_, nth) =>
      nth === 0 ? { calls: [{ name: "send_webhook", args: '{"target":"build","body":{}}' }] } : { text: "Done." };
    const { owner, others } = await Talk.room(stage, ["Anna", "Bert"]);
    const [anna, bert] = others;
    if (!anna || !bert) throw new Error("nobody came");
    const [hers, his, theirs] = await Promise.all([anna, bert, owner].map(follow));
    if (!hers || !his || !theirs) throw new Error("nobody follows");
    expect([hers, his, theirs].map(countOf)).toEqual([0, 0, 0]);
    const { hold, digest } = await anna.toCard();
    await told(hers, ([one]) => one?.hold === hold);
    await told(his, ([one]) => one?.hold === hold);
    await told(theirs, ([one]) => one?.hold === hold);
    expect(hers.replica.choices).toEqual([{ hold, may: ALL }]);
    expect(theirs.replica.choices).toEqual([{ hold, may: ALL }]);
    expect(his.replica.choices).toEqual([{ hold, may: [], why: NOT_ASKED }]);
    expect(hers.replica.view).toEqual(his.replica.view);
    const commits = (socket: ChatSocket) => socket.frames.filter(({ type }) => type === "commit").length;
    await until(() => commits(hers) === commits(his), "the same commits");
    expect(JSON.stringify(hers.replica.view)).not.toContain("hand_over");
    theirs.send({ type: "decide", hold, digest, decision: "decline" });
    for (const socket of [hers, his, theirs]) await told(socket, ({ length }) => length === 0);
  });

  it("[W-72] a press that is refused all the same has its presser told anew", async () => {
    const { anna, bert, card } = await waiting();
    await STANDING.tier(bert.caller, "owner");
    const his = await follow(bert);
    await told(his, ([one]) => one?.may.length === ALL.length);
    await STANDING.tier(bert.caller, "member");
    const { hold, digest } = card;
    const answer = await his.ask({ type: "decide", hold, digest, decision: "approve" }, "error");
    expect([answer.code, answer.ref]).toEqual(["forbidden", hold]);
    await told(his, ([one]) => one?.why === NOT_ASKED);
    expect((await anna.cards())[0]?.status).toBe("open");
  });

  it("[W-70] [W-71] a constraint takes allowing in advance away, and gives it back", async () => {
    const { owner, anna, card } = await waiting();
    const hers = await follow(anna);
    await told(hers, ([one]) => one?.may.includes("always") === true);
    const id = crypto.randomUUID();
    await owner.rpc.constrain(owner.caller, { id, effect: "ask", tools: ["send_webhook"], text: "Ask" });
    const narrowed = await told(hers, ([one]) => one?.may.includes("always") === false);
    expect(narrowed).toEqual({ hold: card.hold, may: ALL.filter((choice) => choice !== "always") });
    await owner.rpc.unconstrain(owner.caller, id);
    await told(hers, ([one]) => one?.may.includes("always") === true);
  });

  it("[W-71] time is offered as long as there is some to give", async () => {
    const { anna, card } = await waiting();
    const hers = await follow(anna);
    await told(hers, ([one]) => one?.may.includes("extend") === true);
    const until7 = card.askedAt + 7 * 24 * 3_600_000;
    await anna.rpc.actOnCard(anna.caller, card.hold, { kind: "extend", until: until7 });
    const spent = await told(hers, ([one]) => one?.may.includes("extend") === false);
    expect(spent).toEqual({ hold: card.hold, may: ALL.filter((choice) => choice !== "extend") });
  });

  it("[W-70] whoever follows after the object died is told again", async () => {
    const { anna, bert, card } = await waiting();
    const before = await follow(bert);
    await told(before, ([one]) => one?.hold === card.hold);
    await anna.die();
    const after = await follow(bert);
    expect(await told(after, ({ length }) => length > 0)).toEqual({ hold: card.hold, may: [], why: NOT_ASKED });
  });

  it("[W-74] whoever is taken out hears nothing of the next card", async () => {
    const { owner, anna, bert, card } = await waiting();
    const his = await follow(bert);
    await told(his, ([one]) => one?.hold === card.hold);
    const count = countOf(his);
    await owner.rpc.removeMember(owner.caller, bert.caller.principalId);
    await his.until(() => his.closed !== undefined);
    await anna.decide(card, "decline");
    await anna.idle();
    expect([his.closed?.code, countOf(his)]).toEqual([4404, count]);
  });

  it("[W-74] when the directory cannot say, the socket closes with 1011 and comes back to the truth", async () => {
    const { anna, bert, card } = await waiting();
    const his = await follow(bert);
    await told(his, ([one]) => one?.hold === card.hold);
    anna.stage.database.fails = (sql) => /principals/i.test(sql);
    his.send({ type: "hello" });
    await his.until(() => his.closed !== undefined);
    expect(his.closed?.code).toBe(1011);
    anna.stage.database.fails = () => false;
    const back = await follow(bert);
    await told(back, ([one]) => one?.hold === card.hold);
  });
});
