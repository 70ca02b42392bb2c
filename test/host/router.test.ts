import { describe, expect, it } from "vitest";
import { AdmissionOrder, claimOf, route } from "../../src/host/index.ts";
import type { Claim } from "../../src/host/router/claim.ts";
import { completeSurface } from "../../src/host/router/complete-surface.ts";
import { inOrder } from "../../src/host/router/route.ts";
import type { MessageSurface } from "../../src/host/router/surface.ts";
import { ANNA, BERT, send } from "../kernel/make.ts";
import { started } from "../kernel/started.ts";
import { Gate } from "../kit/gate.ts";
import { stopOf } from "../kit/stop-of.ts";
import { VirtualClock } from "../kit/virtual-clock.ts";
import { hostOf, pluginWith } from "./plugin-with.ts";

const surface = (prefix: string) => ({ kind: "view", surface: prefix }) as const;
const claim = (name: string, more: Partial<Claim> = {}): Claim => ({
  name,
  surface: "web",
  owns: () => true,
  admit: () => ({ kind: "drop", reason: `by ${name}` }),
  ...more,
});
const chat = (name: string, ...claims: readonly Claim[]) =>
  pluginWith(name, { surfaces: [surface(name === "web" ? "web" : `s-${name}`)], claims });
const message = { channel: "web:1", isBot: false, text: "Hello", files: 0 };
const speaker = { principalId: "p_anna", tier: "member" } as const;
const routed = (claims: readonly Claim[], changes: Partial<typeof message> = {}, from = "web") =>
  route(inOrder(claims), from, { ...message, ...changes }, speaker);

describe("surfaces and claims", () => {
  it.each(["", "Web", "we:b", "we b", "1web", "a".repeat(33)])("[X-23] the surface prefix %j is refused", (prefix) => {
    expect(stopOf(() => hostOf(pluginWith("chat", { surfaces: [surface(prefix)] }))).message).toContain("must match");
  });

  it("[X-23] prefixes of one and 32 characters are taken; a surface that neither shows nor sends is refused", () => {
    for (const prefix of ["a", "a".repeat(32)]) hostOf(pluginWith("chat", { surfaces: [surface(prefix)] }));
    const mute = pluginWith("chat", { surfaces: [{ kind: "messages", surface: "web" }] });
    expect(stopOf(() => hostOf(mute)).message).toContain("with a sendReply");
  });

  it("[X-23] a claim or target of a surface that no plugin has stops the start", () => {
    const target = { name: "there", label: "There", surface: "discord" };
    for (const parts of [{ claims: [claim("lost", { surface: "discord" })] }, { backgroundTargets: [target] }]) {
      const { code, message: said } = stopOf(() => hostOf(chat("web"), pluginWith("dice", parts)));
      expect([code, said]).toEqual([
        "no_surface",
        expect.stringContaining('"discord", and there are web: add the plugin'),
      ]);
    }
  });

  it("[X-24] claims come by descending priority, equal ones in plugin order", () => {
    const host = hostOf(
      chat("web", claim("a"), claim("b", { priority: 5 })),
      pluginWith("dice", { claims: [claim("c", { priority: 5 }), claim("d", { priority: -1 })] }),
    );
    expect(host.claims.map(({ name }) => name)).toEqual(["b", "c", "a", "d"]);
  });
});

describe("the router", () => {
  it("[X-24] the first owner decides, also when it drops; who comes later is never asked", () => {
    let asked = 0;
    const counting = claim("late", { owns: () => (asked++, true) });
    const aside = claim("aside", { owns: () => false, priority: 9 });
    expect(routed([aside, claim("first"), counting])).toEqual({ kind: "drop", reason: "by first", claim: "first" });
    expect(asked).toBe(0);
  });

  it("[X-24] [trap 73] an equal id on another surface is not the claim's own, and space and speaker reach it", () => {
    const seen: unknown[] = [];
    const watching = claim("web", {
      owns: (channel, space) => (seen.push([channel, space]), channel.id === "1"),
      admit: (arrival) => (seen.push(arrival.speaker), { kind: "turn" }),
    });
    expect(routed([watching], { channel: "mcp:1" }, "mcp")).toMatchObject({ kind: "drop" });
    expect(seen).toEqual([]);
    expect(route([watching], "web", { ...message, space: "guild" }, speaker)).toEqual({ kind: "turn", claim: "web" });
    expect(seen).toEqual([[{ key: "web:1", surface: "web", id: "1" }, "guild"], speaker]);
    expect(claimOf([watching], "web:1")).toBe(watching);
    expect(claimOf([watching], "mcp:1")).toBeUndefined();
  });

  it.each<[string, Partial<typeof message>, string]>([
    ["of another surface", { channel: "discord:1" }, "has no channel discord:1"],
    ["without a colon", { channel: "web" }, "has no channel"],
    ["without an id", { channel: "web:" }, "has no channel"],
    ["that is blank", { text: "  \n" }, "is empty"],
  ])("[X-25] a message %s is dropped unasked, with the reason", (_what, changes, reason) => {
    const result = routed([claim("all")], changes);
    expect(result).toEqual({ kind: "drop", reason: expect.stringContaining(reason) });
  });

  it("[X-25] [trap 39] a blank message with a file is none that is empty; what nobody owns is dropped", () => {
    expect(routed([claim("all")], { text: "", files: 1 })).toMatchObject({ claim: "all" });
    expect(routed([])).toEqual({ kind: "drop", reason: expect.stringContaining("Nothing answers in this channel") });
  });

  it("[X-25] a claim that throws or decides nothing fails closed", () => {
    const broken = () => {
      throw new Error("broken");
    };
    const failing = [
      claim("a", { owns: broken }),
      claim("a", { admit: broken }),
      claim("a", { admit: () => null as never }),
    ];
    for (const one of failing) {
      const after = claim("b", { admit: () => ({ kind: "turn" }) });
      expect(routed([one, after])).toMatchObject({ kind: "drop", reason: expect.stringContaining("tell an owner") });
    }
  });
});

describe("admission", () => {
  const after = async (gate: Gate, value: string) => {
    await gate.pass();
    return value;
  };

  it("[X-26] [trap 51] a slow look-up does not reorder a channel's messages, and one that fails holds up nobody", async () => {
    const order = new AdmissionOrder(new VirtualClock());
    const [slow, admitted] = [new Gate(), [] as string[]];
    const note = (text: string) => admitted.push(text);
    const first = order.run(after(slow, "first"), note);
    const failed = order.run(Promise.reject(new Error("who?")), note);
    const third = order.run(Promise.resolve("third"), note);
    await expect(Promise.race([third, Promise.resolve("waiting")])).resolves.toBe("waiting");
    slow.open();
    await expect(failed).rejects.toThrow("who?");
    await Promise.all([first, third]);
    expect(admitted).toEqual(["first", "third"]);
  });

  it("[X-26] after ten seconds those behind are not kept waiting", async () => {
    const clock = new VirtualClock();
    const order = new AdmissionOrder(clock);
    const [stuck, admitted] = [new Gate(), [] as string[]];
    const first = order.run(after(stuck, "first"), (text) => admitted.push(text));
    const second = order.run(Promise.resolve("second"), (text) => admitted.push(text));
    clock.advanceTo(clock.now() + 9_999);
    await stuck.reached();
    expect(admitted).toEqual([]);
    clock.advanceTo(clock.now() + 1);
    await second;
    stuck.open();
    await first;
    expect(admitted).toEqual(["second", "first"]);
  });

  it("[X-28] another speaker's message waits for its own turn; a stop takes back the speaker's own alone", async () => {
    const gate = new Gate();
    const world = started({
      script: (_request, nth) => ({ text: "Hello.", ...(nth === 0 && { between: () => gate.pass() }) }),
    });
    send(world, "one", { actor: ANNA });
    await world.run(() => world.model.requests.length === 1);
    expect(send(world, "two", { actor: BERT, mode: "steer" })).toMatchObject({ value: { status: "queued" } });
    send(world, "three", { actor: ANNA });
    expect(world.kernel.control.inbox.map(({ actor, mode }) => [actor, mode])).toEqual([
      [BERT, "queue"],
      [ANNA, "steer"],
    ]);
    world.kernel.stop();
    expect(world.kernel.control.inbox.map(({ actor }) => actor)).toEqual([BERT]);
    gate.open();
    await world.run();
    expect(world.model.requests).toHaveLength(2);
  });
});

describe("a message surface that has little", () => {
  const sent: string[] = [];
  const bare: MessageSurface = {
    kind: "messages",
    surface: "bare",
    sendReply: async ({ text }) => (sent.push(text), { status: "sent", id: "1", at: 0 }),
    sendNotice: async ({ text }) => (sent.push(text), { status: "sent", id: "1", at: 0 }),
  };
  const out = { key: "k", channel: "bare:1", text: "Hi", files: [] };
  const file = { id: "f", name: "a.txt", type: "text/plain", size: 1 };

  it("[X-29] replies, does nothing for what it lacks, and refuses files", async () => {
    const whole = completeSurface(bare, () => undefined);
    whole.startTyping("bare:1")();
    whole.showStop("bare:1")();
    await whole.progress("bare:1", { kind: "text", text: "…" });
    await whole.react("bare:1", "m", "👀");
    expect(await whole.sendReply(out)).toEqual({ status: "sent", id: "1", at: 0 });
    expect(await whole.sendNotice({ ...out, files: [file as never] })).toMatchObject({
      status: "drop",
      error: expect.stringContaining("bare carries no files"),
    });
    expect(sent).toEqual(["Hi"]);
    const carrying = completeSurface({ ...bare, supportsFiles: true }, () => undefined);
    expect(await carrying.sendReply({ ...out, files: [file as never] })).toEqual({ status: "sent", id: "1", at: 0 });
  });

  it("[X-29] [trap 72] handles end once; progress and reactions that fail are reported and pass", async () => {
    let ends = 0;
    const reports: string[] = [];
    const fail = () => Promise.reject(new Error("away"));
    const shaky = { ...bare, startTyping: () => () => void ends++, progress: fail, react: fail, unreact: fail };
    const whole = completeSurface(shaky, (event, { what }) => reports.push(`${event} ${what}`));
    const end = whole.startTyping("bare:1");
    end();
    end();
    await whole.progress("bare:1", { kind: "tool", tool: "dig", state: "started" });
    await whole.react("bare:1", "m", "👀");
    await whole.unreact("bare:1", "m", "👀");
    expect(ends).toBe(1);
    expect(reports).toEqual(["surface.failed progress", "surface.failed react", "surface.failed unreact"]);
  });
});
