import { env } from "cloudflare:workers";
import type { IncomingFile } from "../../src/host/index.ts";
import type { MessageSurface } from "../../src/host/router/surface.ts";
import { filePlace } from "../../src/objects/files/stored-files.ts";
import type { HoldsView } from "../../src/protocol/cards.ts";
import type { GivenAnswer } from "../../src/protocol/frames.ts";
import type { FileRef } from "../../src/protocol/message.ts";
import type { QuestionsView, ShownQuestion } from "../../src/protocol/questions.ts";
import type { ToolResultData, View } from "../../src/protocol/view.ts";
import { ChatSocket } from "./chat-socket.workers.ts";
import { type Cast, newCast, setScene } from "./contract-scene.workers.ts";
import { Stage } from "./stage.workers.ts";
import type { MakeSubject, Role, SurfaceAbilities, SurfaceSubject } from "./surface-contract.ts";
import { SurfaceTalk, type SurfaceTalkOptions } from "./surface-talk.workers.ts";
import { Talk } from "./talk.workers.ts";
import { until } from "./until.ts";

export const ALL_ABLE: SurfaceAbilities = {
  cards: true,
  files: true,
  presence: true,
  progress: true,
  attachments: true,
  marks: true,
};

/** What a subject shows of its conversation, whatever its surface. */
function seenIn(view: View, stage: Stage, cast: Cast) {
  const entries = view.entries;
  const wordsOf = (message: View["entries"][number]["message"]) =>
    message && message.role !== "system"
      ? message.content.map((part) => ("text" in part ? part.text : "")).join("")
      : "";
  return {
    heard: entries
      .filter(({ kind, message }) => kind === "core.user" && wordsOf(message) !== "Hello")
      .map(({ data, message }) => ({ principalId: (data as { actor: string }).actor, text: wordsOf(message) })),
    texts: entries.flatMap(({ kind, message, data }) =>
      kind === "host.said" ? [(data as { text: string }).text] : kind === "core.assistant" ? [wordsOf(message)] : [],
    ),
    files: entries.flatMap(({ message }) =>
      message?.role === "tool" ? message.content.flatMap((part) => (part.type === "file" ? [part.file.name] : [])) : [],
    ),
    brought: entries.flatMap(({ kind, message }) =>
      kind === "core.user" && message?.role === "user"
        ? message.content.flatMap((part) => (part.type === "file" ? [part.file] : []))
        : [],
    ),
    ordered: entries.filter(({ kind }) => kind === "core.notice").map(({ message }) => wordsOf(message)),
    results: entries
      .filter(({ kind }) => kind === "core.tool_result")
      .map(({ data }) => (data as unknown as ToolResultData).code ?? (data as unknown as ToolResultData).outcome),
    tools: entries.flatMap(({ message }) => (message?.role === "tool" ? [message.name] : [])),
    ran: stage.receiver.total,
    principalOf: (role: Role) => cast[role].principalId,
  };
}

/** Has a plugin's words said, as their order does when it arrives. */
function saying(talk: Pick<Talk, "rpc">, { person }: Cast): Pick<SurfaceSubject, "haveSaid" | "receipt"> {
  return {
    haveSaid: async (key, text) => (await talk.rpc.sayHere({ key, text, author: person.principalId })).ok,
    async receipt(key) {
      const answer = await talk.rpc.sayReceipt(key);
      return answer.ok ? answer.value.receipt?.status : undefined;
    },
  };
}

/** Files of a conversation with their bytes. */
async function readAll(channel: string, files: readonly FileRef[]): Promise<readonly string[]> {
  const read = async ({ id, name }: FileRef) =>
    `${name}: ${await (await env.FILES.get(filePlace(channel, id)))?.text()}`;
  return Promise.all(files.map(read));
}

/** Answers as their questions take them: an offered label where there are options, else words. */
function given(questions: readonly ShownQuestion[], answers: readonly string[]): GivenAnswer[] {
  return answers.map((text, nth) => (questions[nth]?.options.length ? { choices: [text] } : { choices: [], text }));
}

function incoming({ name, text }: { readonly name: string; readonly text: string }): IncomingFile {
  const bytes = Uint8Array.from(new TextEncoder().encode(text));
  return { name, mime: "text/plain", bytes: bytes.length, read: () => Promise.resolve(bytes.buffer) };
}

/** Subjects on the test network. @param adapt stands in for its adapter. */
export function onTestNetwork(options: SurfaceTalkOptions = {}): MakeSubject {
  return async (scene) => {
    const cast = await newCast();
    const isShared = scene.visibility === "shared";
    let adapter: MessageSurface | undefined;
    const adapt = (surface: MessageSurface) => (adapter = options.adapt?.(surface) ?? surface);
    const talk = await SurfaceTalk.begin({ ...options, isShared, adapt }, cast.person);
    await setScene(talk.stage, scene, cast);
    const seen = async () => seenIn((await talk.talk.snapshot()).view, talk.stage, cast);
    const cardOf = (id: string) => talk.shown.find(({ card, question }) => (card?.hold ?? question?.prompt) === id);
    if (isShared) await enterAll(talk, cast);
    const press: SurfaceSubject["press"] = async (role, id, decision) => {
      const { digest } = cardOf(id)?.card ?? { digest: "" };
      return (await talk.rpc.press(cast[role], { hold: id, digest, decision })).ok;
    };
    return {
      surface: "test",
      channel: talk.channel,
      principalOf: (role) => cast[role].principalId,
      say: (role, text, file) => talk.say(text, { by: cast[role], ...(file && { files: [incoming(file)] }) }),
      brought: async () => readAll(talk.channel, (await seen()).brought),
      ordered: async () => (await seen()).ordered,
      marked: async () => talk.marked,
      ...saying(talk, cast),
      heard: async () => (await seen()).heard,
      texts: async () => talk.texts,
      files: async () => talk.shown.flatMap(({ file }) => (file ? [file.name] : [])),
      cards: async () => {
        const ids = new Set(talk.cards.map(({ card, question }) => card?.hold ?? question?.prompt ?? ""));
        const isStanding = (id: string) => talk.cards.some((one) => cardIs(one, id) && one.closed === undefined);
        return [...ids].map((id) => ({ id, isOpen: isStanding(id) }));
      },
      press,
      pressElsewhere: async (id, decision) => {
        const { digest } = cardOf(id)?.card ?? { digest: "" };
        return (await talk.rpc.decide(cast.person, { hold: id, digest, decision })).ok;
      },
      answer: async (role, id, answers) => {
        const questions = cardOf(id)?.question?.questions ?? [];
        return (await talk.rpc.reply(cast[role], { prompt: id, answers: given(questions, answers) })).ok;
      },
      copy: async (id) => cardOf(id)?.card?.copy?.text,
      stop: (role) => talk.rpc.halt(cast[role]),
      isTyping: async () => talk.network.presence(talk.channel).typing > 0,
      showsStop: async () => talk.network.presence(talk.channel).stops > 0,
      endTwice: async () => {
        for (const begin of [adapter?.startTyping, adapter?.showStop]) {
          const end = begin?.(talk.channel);
          end?.();
          end?.();
        }
      },
      progress: async () => talk.network.progress.flatMap((line) => ("tool" in line ? [line.tool] : [])),
      ran: () => talk.stage.receiver.total,
      results: async () => (await seen()).results,
      restart: async () => {
        await talk.talk.die();
      },
    };
  };
}

function cardIs({ card, question }: SurfaceTalk["cards"][number], id: string): boolean {
  return (card?.hold ?? question?.prompt) === id;
}

/** Whoever spoke in a shared channel is in it; the person first. */
async function enterAll(talk: SurfaceTalk, { person, stranger, approver }: Cast): Promise<void> {
  for (const by of [person, stranger, approver]) await talk.say("Hello", { by });
  await talk.talk.idle();
}

/** Subjects in the web chat, by its socket. */
export const inWebChat: MakeSubject = async (scene) => {
  const cast = await newCast();
  const stage = new Stage();
  await setScene(stage, scene, cast);
  const talk = await inRoom(stage, scene.visibility, cast);
  let socket = await ChatSocket.follow(stage, cast.person);
  const view = () => {
    if (!socket.replica.view) throw new Error("the page follows nothing");
    return socket.replica.view;
  };
  const seen = () => seenIn(view(), stage, cast);
  const holds = () => view().plugins["holds"] as unknown as HoldsView;
  const questions = () => (view().plugins["questions"] as unknown as QuestionsView).cards;
  const digests = new Map<string, string>();
  const digestOf = (id: string) => {
    for (const { hold, digest } of holds().cards) digests.set(hold, digest);
    return digests.get(id) ?? "";
  };
  const press: SurfaceSubject["press"] = async (role, id, decision) =>
    (await talk.rpc.decide(cast[role], { hold: id, digest: digestOf(id), decision })).ok;
  let sent = 0;
  /** As the upload's route does. */
  const upload = async ({ name, text }: { readonly name: string; readonly text: string }): Promise<string> => {
    const file = { id: `f${++sent}`, name, mime: "text/plain", bytes: text.length };
    await talk.rpc.addFile(cast.person, file);
    await env.FILES.put(filePlace(stage.key, file.id), text);
    return file.id;
  };
  return {
    surface: "web",
    channel: stage.key,
    principalOf: (role) => cast[role].principalId,
    say: async (role, text, file) => {
      if (role !== "person") return talk.by(cast[role]).say(text, `other${++sent}`);
      const attachments = file && [await upload(file)];
      return socket.ask(
        { type: "send", id: `m${++sent}`, text, ...(attachments && { attachments }) },
        "receipt",
        "error",
      );
    },
    brought: () => readAll(stage.key, seen().brought),
    ordered: async () => seen().ordered,
    marked: async () => view().inbox.map(({ text }) => text),
    ...saying(talk, cast),
    heard: async () => seen().heard,
    texts: async () => seen().texts,
    files: async () => seen().files,
    cards: async () => [
      ...holds().cards.map(({ hold, status }) => ({ id: hold, isOpen: status === "open" })),
      ...questions().map(({ prompt, status }) => ({ id: prompt, isOpen: status === "open" })),
    ],
    press,
    pressElsewhere: (id, decision) => press("person", id, decision),
    answer: async (role, id, answers) => {
      const asked = questions().find(({ prompt }) => prompt === id)?.questions ?? [];
      return (await talk.rpc.answer(cast[role], { prompt: id, answers: given(asked, answers) })).ok;
    },
    copy: async (id) => holds().cards.find(({ hold }) => hold === id)?.copy?.text,
    stop: async () => socket.send({ type: "stop" }),
    isTyping: async () => view().turn !== null,
    showsStop: async () => view().turn !== null,
    endTwice: async () => {
      for (const _nth of [1, 2]) socket.send({ type: "stop" });
      await until(() => view().turn === null, "the turn to be over");
    },
    progress: async () => seen().tools,
    ran: () => stage.receiver.total,
    results: async () => seen().results,
    restart: async () => {
      await talk.die();
      socket = await ChatSocket.follow(stage, cast.person);
    },
  };
};

async function inRoom(stage: Stage, visibility: "private" | "shared", cast: Cast): Promise<Talk> {
  if (visibility === "private") return Talk.begin(stage, cast.person);
  const owner = Talk.at(stage, cast.owner);
  await owner.rpc.create(cast.owner, stage.key, "shared");
  for (const { principalId } of [cast.person, cast.stranger, cast.approver])
    await owner.rpc.addMember(cast.owner, principalId);
  return Talk.at(stage, cast.person);
}
