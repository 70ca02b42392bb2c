import {
  constraintSection,
  type HoldRules,
  type Holds,
  type HoldsHost,
  installHolds,
  MAX_HELD_FILE_BYTES,
  operatorRules,
} from "../../holds/index.ts";
import {
  type AnswerRefused,
  answerPrompt,
  EventTeller,
  eventsOf,
  type Host,
  installPlugins,
  type PromptAnswer,
  requestMirror,
  SAYINGS,
  toolsOf,
} from "../../host/index.ts";
import {
  type Hooks,
  type HostRead,
  type HostTx,
  Kernel,
  type KernelHost,
  type KernelPorts,
  type Namespace,
  Registry,
  readEntry,
} from "../../kernel/index.ts";
import { err, type Result } from "../../lib/result.ts";
import { type ConversationFacts, type ConversationNow, tierAtLeast } from "../../people/facts.ts";
import { isOpenTo } from "../../people/may-act.ts";
import { readSpeaker, type Speaker } from "../../people/speaker.ts";
import type { Config } from "../../protocol/config.ts";
import type { QuestionCard } from "../../protocol/questions.ts";
import type { Database } from "../../store/database.ts";
import { type ChatState, chatNamespace } from "../../surfaces/webchat/chat-state.ts";
import { FILES, fileOf } from "../../surfaces/webchat/files-state.ts";
import { ownedHooks } from "../child/owned-hooks.ts";
import type { FileDigests } from "../files/file-digests.ts";
import { filePlace } from "../files/stored-files.ts";
import { systemClock, systemRandom } from "../platform.ts";
import { remindByNotice } from "../principal/reminder-notice.ts";
import { isIn, type RoomState, roomNamespace } from "../room/room-state.ts";
import { roomSections } from "../room/room-voice.ts";
import { NetworkSide } from "../surface/network-side.ts";
import { promptSections } from "./prompt.ts";
import { REPLAYS } from "./replays.ts";
import { ToolSwitches } from "./tool-switches.ts";
import { identityOf, personaKindOf, type SettingsParts, turnSettings } from "./turn-settings.ts";

/** What a conversation is assembled from. */
export interface LifeParts extends SettingsParts {
  readonly ports: KernelPorts;
  readonly db: Database;
  readonly digests: Pick<FileDigests, "of">;
}

/** One opened conversation: its kernel with everything registered, and the ways to its holds and questions. */
export interface Life {
  readonly kernel: Kernel;
  readonly holds: Holds;
  /** Brings a person's answer to the plugin that asked. */
  answer(given: Omit<PromptAnswer, "refusalFor">): Result<Record<string, never>, AnswerRefused>;
  /** What plugins ask people now. */
  questions(): readonly QuestionCard[];
  /** Whether plugins ever asked people something here. */
  hasAsked(): boolean;
  readonly chat: Namespace<ChatState>;
  /** Names of the deployment's tools, whether on or off here. */
  readonly tools: readonly string[];
  readonly facts: ConversationFacts;
  /** Of a shared conversation: who is in it. */
  readonly room: Namespace<RoomState> | undefined;
  /** What authority is judged by at this moment. */
  now(): ConversationNow;
}

const NOBODY_TO_ASK =
  "A subagent may not ask a person, and this call needs one to approve it. It did not run; do it in the main conversation.";

const GONE: AnswerRefused = { code: "not_found", message: "There is no such conversation." };

/** Who is in the conversation at this moment. */
interface Presence {
  /** A person as long as they may be here: who was taken out of a shared conversation, or is a guest, is nobody here. */
  readonly present: (speaker: Speaker | undefined) => Speaker | undefined;
  /** Whether it is open to a principal by itself, whatever their tier. */
  readonly isMember: (principalId: string) => boolean;
}

/** Registers every part and opens the conversation, creating it when its storage is empty. Starts nothing. */
export function openLife(parts: LifeParts): Life {
  const { ports, facts, config, host } = parts;
  const registry = new Registry();
  const tools = toolsOf(host);
  const names = tools.map(({ name }) => name);
  const { thinking } = config.agent;
  const defaults = { model: parts.defaultModel, thinking, persona: personaKindOf(parts, "") };
  const chat = chatNamespace(defaults, names);
  const room = facts.visibility === "shared" ? roomNamespace(facts) : undefined;
  registerOwn(registry, parts, chat, room);
  const network = NetworkSide.of(parts);
  const toList = (tx: HostTx) => holds.toList(tx);
  network?.register(registry, toList);
  installPlugins(registry, host);
  const switches = new ToolSwitches(registry, tools);
  const holder: { kernel?: Kernel } = {};
  const kernelOf = () => {
    if (!holder.kernel) throw new Error("Bug: the conversation is used before it is open");
    return holder.kernel;
  };
  const now = (): ConversationNow => (room ? { ...facts, members: Object.keys(kernelOf().get(room).members) } : facts);
  const presence = presenceOf(now, (id) => (room ? isIn(kernelOf().get(room), id) : facts.owner === id));
  registry.hooks(chat, facts.owned ? ownedHooks((build) => kernelOf().commit(build)) : LISTED);
  const held = holdsHost(parts, registry, kernelOf, presence);
  const holds: Holds = installHolds(registry, network?.withHolds(held, toList) ?? held);
  const teller = new EventTeller(host.watchers, ports.report);
  const publish = following(ports.publish, (frame) => {
    if (holder.kernel) switches.follow(holder.kernel.get(chat).toolsOff);
    if (holder.kernel) network?.follow(holder.kernel.control, frame.events);
    if (teller.isNeeded) teller.tell(eventsOf(facts.key, frame));
  });
  const watched = { ...ports, publish };
  const { origin, ...own } = facts;
  const heard = {
    ...parts,
    speaker: async (...who: Parameters<LifeParts["speaker"]>) => presence.present(await parts.speaker(...who)),
  };
  const settings: KernelHost = {
    name: facts.key,
    settings: (speaker, read) => turnSettings(heard, chat, speaker, read),
  };
  const kernel = origin
    ? Kernel.fork(watched, registry, settings, { facts: { ...own, origin }, ref: { from: origin.key, at: origin.at } })
    : Kernel.create(watched, registry, settings, own);
  holder.kernel = kernel;
  switches.follow(kernel.get(chat).toolsOff);
  network?.follow(kernel.control, []);
  const conversation = {
    visibility: facts.visibility,
    read: kernelOf,
    commit: <T>(builder: (tx: HostTx) => T) => kernel.commit(builder),
  };
  const answer = answering(host, conversation, presence);
  return { kernel, holds, answer, ...askedIn(kernel, host), chat, tools: names, facts, room, now };
}

function askedIn(kernel: Kernel, { plugins }: Host): Pick<Life, "questions" | "hasAsked"> {
  const prompts = plugins.flatMap(({ parts }) => parts.prompts ?? []);
  return {
    questions: () => prompts.flatMap((one) => one.cards(kernel)),
    hasAsked: () => prompts.some((one) => one.hasAsked(kernel)),
  };
}

/** Whoever was taken out since the directory answered is nobody here. */
function answering(
  host: Host,
  conversation: Parameters<typeof answerPrompt>[1],
  { present }: Pick<Presence, "present">,
): Life["answer"] {
  return (given) => (present(given.by) ? answerPrompt(host, conversation, given) : err(GONE));
}

/** What makes the list be told. */
const LISTED: Hooks = { turnEnded: requestMirror, parked: requestMirror, restored: requestMirror };

/** Registers what every conversation has of its own, plugins aside. */
function registerOwn(
  registry: Registry,
  parts: LifeParts,
  chat: Namespace<ChatState>,
  room: Namespace<RoomState> | undefined,
): void {
  const { facts, config, host } = parts;
  registry.namespace(chat);
  registry.namespace(FILES);
  registry.namespace(REPLAYS);
  registry.namespace(SAYINGS);
  if (room) registry.namespace(room);
  const prompt = { host, timeZone: config.timeZone, owned: facts.owned };
  const personaOf = (read: HostRead) => personaKindOf(parts, read.get(chat).persona);
  for (const section of promptSections({ ...prompt, personaOf })) registry.registerSection(section);
  if (room) for (const section of roomSections(parts.speaker)) registry.registerSection(section);
  registry.registerSection(constraintSection);
}

/** Looks at what each commit changed before it is published, a rewind's as much as a setting's. */
function following(
  publish: KernelPorts["publish"],
  look: (frame: Parameters<KernelPorts["publish"]["commit"]>[0]) => void,
): KernelPorts["publish"] {
  return {
    commit(frame) {
      look(frame);
      publish.commit(frame);
    },
    delta: (frame) => publish.delta(frame),
  };
}

function presenceOf(now: () => ConversationNow, isMember: Presence["isMember"]): Presence {
  const isHere = (speaker: Speaker) => {
    const conversation = now();
    // A private one that another conversation owns speaks for whoever spoke there.
    const isOpen = conversation.visibility === "private" || isOpenTo(conversation, speaker);
    return isOpen && tierAtLeast(speaker.tier, "member");
  };
  return {
    present: (speaker) => (speaker && isHere(speaker) ? speaker : undefined),
    isMember,
  };
}

function holdsHost(
  parts: LifeParts,
  registry: Registry,
  kernelOf: () => Kernel,
  { present, isMember }: Presence,
): HoldsHost {
  const { ports, facts, db, host, config } = parts;
  return {
    conversation: facts.key,
    visibility: facts.visibility,
    ...(facts.owned && { nobodyToAsk: NOBODY_TO_ASK }),
    rules: rulesOf(host, config),
    clock: systemClock,
    ulid: () => systemRandom.ulid(),
    providerOf: (tool) => ({ kind: "plugin", name: host.ownerOf(tool) ?? "unknown" }),
    tierOf: (tool) => host.tierOf(tool),
    tool: (name) => registry.snapshot().tools.get(name),
    person: async (principalId) => present(await readSpeaker(db, principalId)),
    isHere: (person) => present(person) !== undefined,
    isMember,
    speaker: async ({ actor, meta }, { fresh }) =>
      present(await (fresh ? readSpeaker(db, actor, identityOf(meta)) : parts.speaker(actor, identityOf(meta)))),
    file: (id) => heldFile(parts, kernelOf(), id),
    read: kernelOf,
    commit: (builder) => kernelOf().commit(builder),
    entry: (id) => readEntry(ports.storage, id),
    storage: ports.storage,
    changed: requestMirror,
    reminded: (tx, hold) => remindByNotice(tx, facts, hold, ports.clock.now()),
    turn: () => kernelOf().control.turn?.task ?? 0,
    report: (event, about) => ports.report.report(event, about),
  };
}

/** What a held call says it is about, as it lies in R2 now. Only files of this very conversation are meant. */
async function heldFile({ digests, facts }: LifeParts, read: HostRead, id: string): ReturnType<HoldsHost["file"]> {
  const file = fileOf(read.get(FILES), id);
  if (!file) return "missing";
  const digest = await digests.of(filePlace(facts.key, id), MAX_HELD_FILE_BYTES);
  return typeof digest === "string" ? digest : { id, name: file.name, ...digest };
}

/** Plugins describe calls better than the operator's file does, so they are heard first. */
function rulesOf(host: Host, config: Config): HoldRules {
  const { deny, hold } = operatorRules(config.policy);
  return { deny, hold: [...host.holdRules, ...hold] };
}
