import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { IncomingFile } from "../../src/host/index.ts";
import { definePlugin } from "../../src/host/index.ts";
import { filePlace } from "../../src/objects/files/stored-files.ts";
import { MAX_FILE_BYTES, MAX_FILES_PER_MESSAGE } from "../../src/protocol/limits.ts";
import { MAX_FILES_PER_CONVERSATION } from "../../src/surfaces/webchat/files-state.ts";
import { Gate } from "../kit/gate.ts";
import { SurfaceTalk } from "../kit/surface-talk.workers.ts";
import { newPerson } from "../kit/talk.workers.ts";
import { until } from "../kit/until.ts";

const refused = (code: string, message: string) => ({
  ok: false,
  error: { code, message: expect.stringContaining(message) },
});

/** A file of this many bytes, and how often it was read. */
function fileOf(name: string, size: number, more: Partial<IncomingFile> = {}) {
  const reads = { count: 0 };
  const read = async () => {
    reads.count++;
    return new Uint8Array(size).fill(120).buffer;
  };
  const file: IncomingFile = { name, mime: "text/plain", bytes: size, read, ...more };
  return { file, reads };
}

/** The parts of the messages that were let in. */
async function saidIn(talk: SurfaceTalk) {
  const { view } = await talk.talk.snapshot();
  return view.entries.flatMap(({ kind, message }) =>
    kind === "core.user" && message?.role === "user" ? [message.content] : [],
  );
}

const nameOf = async (talk: SurfaceTalk) =>
  (await saidIn(talk)).flatMap((parts) => parts.flatMap((part) => (part.type === "file" ? [part.file.name] : [])));

describe("files that come with a message of a network", () => {
  it("[X-92] stand in it, are kept under names and types as uploads are, and reach the model", async () => {
    const talk = await SurfaceTalk.begin();
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
    const picture: IncomingFile = {
      name: "a/b\u202e.exe",
      mime: "text/html",
      bytes: png.length,
      read: async () => png.buffer,
    };
    const page = fileOf("x".repeat(300), 3, { mime: "Text/HTML; charset=x" });
    const strange = fileOf("..", 1, { mime: null });
    const files = [picture, page.file, strange.file];
    expect(await talk.say("Look", { files })).toMatchObject({ ok: true });
    await talk.talk.idle();
    const [parts = []] = await saidIn(talk);
    expect(parts).toMatchObject([
      { type: "text", text: "Look" },
      { type: "file", file: { name: "a_b.exe", mime: "image/png", bytes: 12 } },
      { type: "file", file: { name: "x".repeat(255), mime: "text/html", bytes: 3 } },
      { type: "file", file: { name: "file", mime: "application/octet-stream", bytes: 1 } },
    ]);
    const sizes = (await talk.stored()).map((one) => Number(one.split(": ")[1]));
    expect(sizes.toSorted((a, b) => a - b)).toEqual([1, 3, 12]);
    const [request] = talk.stage.model.requests;
    expect(JSON.stringify(request?.messages)).toContain("a_b.exe");
    const stored = parts.flatMap((part) => (part.type === "file" ? [part.file.id] : []));
    expect(await talk.talk.rpc.file(talk.caller, stored[0] ?? "")).toMatchObject({ ok: true });
  });

  it("[X-92] are a message without words, too", async () => {
    const talk = await SurfaceTalk.begin();
    expect(await talk.say(" ", { files: [fileOf("a.txt", 1).file] })).toMatchObject({ ok: true });
    await talk.talk.idle();
    expect(await saidIn(talk)).toMatchObject([[{ type: "file" }]]);
    expect(await talk.say(" ")).toMatchObject(refused("forbidden", "empty"));
  });

  it("[X-92] are eight at most, of one byte to 10 MiB: one more of either refuses the message whole, unread", async () => {
    const talk = await SurfaceTalk.begin();
    const many = Array.from({ length: MAX_FILES_PER_MESSAGE + 1 }, (_, nth) => fileOf(`${nth}.txt`, 1));
    const files = many.map(({ file }) => file);
    expect(await talk.say("Look", { id: "a", files })).toMatchObject(
      refused("too_large", "brings 9 files, the limit is 8"),
    );
    const large = fileOf("large.bin", MAX_FILE_BYTES + 1);
    const message = `large.bin has ${MAX_FILE_BYTES + 1} bytes, the limit is ${MAX_FILE_BYTES}`;
    expect(await talk.say("Look", { id: "b", files: [large.file] })).toMatchObject(refused("too_large", message));
    const empty = fileOf("empty.txt", 0);
    expect(await talk.say("Look", { id: "c", files: [empty.file] })).toMatchObject(refused("bad_request", "is empty"));
    expect([...many, large, empty].map(({ reads }) => reads.count)).toEqual(Array.from({ length: 11 }, () => 0));
    expect(await talk.talk.rpc.snapshot(talk.caller)).toMatchObject({ ok: false });
    const largest = fileOf("large.bin", MAX_FILE_BYTES).file;
    expect(await talk.say("Look", { files: [...files.slice(0, 7), largest] })).toMatchObject({ ok: true });
    await talk.talk.idle();
    expect(await talk.stored()).toHaveLength(8);
  });

  it("[X-92] [X-94] another length than announced, and one that is gone, refuse the message and leave nothing stored", async () => {
    const talk = await SurfaceTalk.begin();
    const good = fileOf("good.txt", 2).file;
    for (const bad of [fileOf("bad.txt", 2, { bytes: 3 }).file, { ...good, name: "bad.txt", read: async () => null }]) {
      expect(await talk.say("Look", { files: [good, bad] })).toMatchObject(
        refused("bad_request", "bad.txt could not be read"),
      );
      expect(await talk.stored()).toEqual([]);
    }
    expect(await talk.talk.rpc.snapshot(talk.caller)).toMatchObject({ ok: false });
  });

  it("[X-93] are not read of somebody who may not, nor of a message that its claim drops", async () => {
    const talk = await SurfaceTalk.begin();
    await talk.say("Hello");
    const { file, reads } = fileOf("a.txt", 1);
    const bert = await newPerson("member", "Bert");
    for (const by of [{ identity: "test:nobody" }, bert, await newPerson("guest")]) {
      expect(await talk.say("Look", { by, files: [file] })).toMatchObject({ ok: false });
    }
    expect(await talk.say("Look", { isBot: true, files: [file] })).toMatchObject({ ok: false });
    expect(reads.count).toBe(0);
    expect(await talk.stored()).toEqual([]);
  });

  it("[X-94] whoever may not any more once they are read is refused, and they are gone", async () => {
    const talk = await SurfaceTalk.begin();
    await talk.say("Hello");
    const gate = new Gate();
    const read = async () => {
      await gate.pass();
      return new Uint8Array(1).buffer;
    };
    const saying = talk.say("Look", { files: [fileOf("a.txt", 1).file, fileOf("b.txt", 1, { read }).file] });
    await gate.reached();
    expect(await talk.stored()).toHaveLength(1);
    await env.DB.prepare("update principals set disabled_at = 1 where id = ?").bind(talk.caller.principalId).run();
    gate.open();
    expect(await saying).toMatchObject({ error: { code: "forbidden" } });
    expect(await talk.stored()).toEqual([]);
  });

  it("[X-92] [X-94] what the conversation has no room for is refused and leaves nothing stored", async () => {
    const talk = await SurfaceTalk.begin();
    await talk.say("Hello");
    await talk.talk.idle();
    const known = Array.from({ length: MAX_FILES_PER_CONVERSATION - 1 }, (_, nth) => {
      return [`f${nth}`, { id: `f${nth}`, name: "f", mime: "text/plain", bytes: 1 }];
    });
    const body = JSON.stringify({ files: Object.fromEntries(known) });
    await talk.talk.plant(({ sql }) => sql.exec("INSERT INTO namespaces (name, body) VALUES ('files', ?)", body));
    const files = [fileOf("one.txt", 1).file, fileOf("two.txt", 1).file];
    expect(await talk.say("Look", { files })).toMatchObject(refused("rate_limited", "the limit is 500"));
    expect(await talk.stored()).toEqual([]);
    expect(await talk.say("Look", { files: files.slice(1) })).toMatchObject({ ok: true });
    expect(await nameOf(talk)).toEqual(["two.txt"]);
  });

  it("[X-93] [X-94] the same message again, over deaths before and after its commit, is let in once and read no more", async () => {
    const talk = await SurfaceTalk.begin();
    await talk.say("Hello");
    await talk.talk.idle();
    const first = fileOf("first.txt", 1);
    const gate = new Gate();
    let isStuck = true;
    const second = fileOf("second.txt", 2, {
      read: async () => {
        if (isStuck) await gate.pass();
        return new Uint8Array(2).buffer;
      },
    });
    const say = () => talk.say("Look", { id: "one", files: [first.file, second.file] });
    const dying = say().catch(() => "died");
    await gate.reached();
    expect(await talk.stored()).toHaveLength(1);
    await talk.talk.die();
    gate.open();
    expect(await dying).toBe("died");
    isStuck = false;
    expect(await say()).toMatchObject({ ok: true });
    await talk.talk.die();
    const reads = first.reads.count;
    expect(await say()).toMatchObject({ ok: true });
    await talk.talk.idle();
    expect(first.reads.count).toBe(reads);
    expect(await nameOf(talk)).toEqual(["first.txt", "second.txt"]);
    expect(await talk.stored()).toHaveLength(2);
    expect(await talk.say("Other", { id: "one", files: [first.file, second.file] })).toMatchObject({
      error: { code: "conflict" },
    });
    expect(await talk.stored()).toHaveLength(2);
  });

  it("[X-92] lie in a place of their channel's own, whatever its id", () => {
    const places = ["test:a", "test:a/b", "test:a%2Fb", "web:a"].map((key) => filePlace(key, "f"));
    for (const place of places) expect(places.filter((other) => other.startsWith(place.slice(0, -1)))).toEqual([place]);
  });
});

describe("a message that runs in the background", () => {
  const target = { name: "later", label: "Later", surface: "test" } as const;
  const later = definePlugin({
    name: "later",
    setup: () => ({
      backgroundTargets: [target],
      claims: [
        {
          name: "later",
          surface: "test",
          priority: 10,
          owns: () => true,
          admit: ({ text }) => {
            if (!text.startsWith("later")) return { kind: "turn" };
            return { kind: "background", target: "later", tier: "owner", prompt: `Do ${text}.` };
          },
        },
      ],
    }),
  });

  async function begin(...options: Parameters<typeof SurfaceTalk.begin>): Promise<SurfaceTalk> {
    const talk = await SurfaceTalk.begin(...options);
    const { plugins } = talk.stage;
    talk.stage.plugins = (builtIn) => [...plugins(builtIn), later];
    talk.stage.script = ({ messages }) => ({
      text: JSON.stringify(messages.at(-1)).includes("Do later") ? "Did it." : "Hi.",
    });
    return talk;
  }

  it("[X-90] makes the conversation, is answered there once, and takes its writer into a shared channel", async () => {
    const talk = await begin({ isShared: true });
    expect(await talk.say("later", { id: "one" })).toMatchObject({ ok: true, value: { status: "placed" } });
    await until(() => talk.texts.includes("Did it."), "the answer");
    await talk.talk.die();
    expect(await talk.say("later", { id: "one" })).toMatchObject({ ok: true, value: { status: "done" } });
    expect(await talk.say("later then", { id: "one" })).toMatchObject({ error: { code: "conflict" } });
    await talk.talk.idle();
    expect(talk.texts).toEqual(["Did it."]);
    expect((await talk.talk.transcript()).map(([kind]) => kind)).toEqual(["notice", "assistant"]);
    const bert = await newPerson("member", "Bert");
    expect(await talk.say("later", { by: bert })).toMatchObject({ ok: true });
    expect(await talk.rpc.snapshot(bert)).toMatchObject({ ok: true });
  });

  it("[X-90] of nobody, of a guest, and of another in a private channel is refused", async () => {
    const talk = await begin();
    for (const by of [{ identity: "test:nobody" }, await newPerson("guest")]) {
      expect(await talk.say("later", { by })).toMatchObject({ error: { code: "forbidden" } });
    }
    await talk.say("Hello");
    expect(await talk.say("later", { by: await newPerson("owner", "Olga") })).toMatchObject({ ok: false });
    await talk.talk.idle();
    expect(talk.texts).toEqual(["Hi."]);
  });

  it("[X-90] decides about no call that is listed", async () => {
    const talk = await begin({ prompts: false });
    talk.stage.script = ({ messages }) => {
      const last = JSON.stringify(messages.at(-1));
      if (!last.includes("go!")) return { text: "Hi." };
      return { calls: [{ name: "send_webhook", args: '{"target":"build","body":{}}' }] };
    };
    await talk.say("go!");
    await until(() => talk.texts.some((text) => text.includes("waits for your answer")), "a list");
    await talk.say("later yes");
    await talk.talk.idle();
    expect(talk.judged).toEqual([]);
    await talk.say("yes");
    await until(() => talk.stage.receiver.total === 1, "the effect");
  });

  it("[X-90] brings no files: it is refused, and none is read", async () => {
    const talk = await begin();
    const { file, reads } = fileOf("a.txt", 1);
    expect(await talk.say("later", { files: [file] })).toMatchObject(refused("bad_request", "takes no files"));
    expect([reads.count, await talk.stored()]).toEqual([0, []]);
  });
});
