import {
  constraintSection,
  type HoldRules,
  type Holds,
  type HoldsHost,
  installHolds,
  operatorRules,
} from "../holds/index.ts";
import {
  type AnswerRefused,
  answerPrompt,
  type Host,
  installPlugins,
  type PromptAnswer,
  toolsOf,
} from "../host/index.ts";
import {
  type HostTx,
  Kernel,
  type KernelHost,
  type KernelPorts,
  type Namespace,
  Registry,
  readEntry,
  type TurnSettings,
} from "../kernel/index.ts";
import type { Json } from "../lib/json.ts";
import type { Result } from "../lib/result.ts";
import { type ConversationFacts, type ConversationNow, type OwnedFacts, tierAtLeast } from "../people/facts.ts";
import { isOpenTo } from "../people/may-act.ts";
import { readSpeaker, type Speaker } from "../people/speaker.ts";
import { SUBAGENT_TOOL } from "../plugins/subagents/plugin.ts";
import type { Config } from "../protocol/config.ts";
import type { Database } from "../store/database.ts";
import { type ChatState, chatNamespace } from "../surfaces/webchat/chat-state.ts";
import { FILES } from "../surfaces/webchat/files-state.ts";
import { ownedHooks } from "./owned-hooks.ts";
import { systemClock, systemRandom } from "./platform.ts";
import { promptSections } from "./prompt.ts";
import { requestMirror } from "./registry-mirror.ts";
import { remindByNotice } from "./reminder-notice.ts";
import { REPLAYS } from "./replays.ts";
import { type RoomState, roomNamespace } from "./room-state.ts";
import { roomSections } from "./room-voice.ts";
import { ToolSwitches } from "./tool-switches.ts";

/** What a conversation is assembled from. */
export interface LifeParts {
  readonly ports: KernelPorts;
  readonly facts: ConversationFacts;
  readonly config: Config;
  readonly defaultModel: string;
  /** Tokens of a model's window; undefined: there is no such model. */
  readonly windowOf: (model: string) => number | undefined;
  readonly db: Database;
  /** Resolves whom a step runs for, with an answer that may be some seconds old. */
  readonly speaker: (principalId: string, identity?: string) => Promise<Speaker | undefined>;
  readonly host: Host;
}

/** One opened conversation: its kernel with everything registered, and the ways to its holds and questions. */
export interface Life {
  readonly kernel: Kernel;
  readonly holds: Holds;
  /** Brings a person's answer to the plugin that asked. */
  answer(given: Omit<PromptAnswer, "refusalFor">): Result<Record<string, never>, AnswerRefused>;
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

/** A person as long as they are in the conversation: whoever was taken out of a shared one is nobody there. */
type Present = (speaker: Speaker | undefined) => Speaker | undefined;

/** Registers every part and opens the conversation, creating it when its storage is empty. Starts nothing. */
export function openLife(parts: LifeParts): Life {
  const { ports, facts, config, host } = parts;
  const registry = new Registry();
  const tools = toolsOf(host);
  const names = tools.map(({ name }) => name);
  const chat = chatNamespace({ model: parts.defaultModel, thinking: config.agent.thinking }, names);
  registry.namespace(chat);
  registry.namespace(FILES);
  registry.namespace(REPLAYS);
  const room = facts.visibility === "shared" ? roomNamespace(facts) : undefined;
  if (room) registry.namespace(room);
  for (const section of promptSections(config, facts.owned)) registry.registerSection(section);
  if (room) for (const section of roomSections(parts.speaker)) registry.registerSection(section);
  registry.registerSection(constraintSection);
  installPlugins(registry, host);
  const switches = new ToolSwitches(registry, tools);
  const holder: { kernel?: Kernel } = {};
  const kernelOf = () => {
    if (!holder.kernel) throw new Error("Bug: the conversation is used before it is open");
    return holder.kernel;
  };
  const now = (): ConversationNow => (room ? { ...facts, members: Object.keys(kernelOf().get(room).members) } : facts);
  const present: Present = (speaker) => (speaker && (!room || isOpenTo(now(), speaker)) ? speaker : undefined);
  registry.hooks(
    chat,
    facts.owned ? ownedHooks((build) => kernelOf().commit(build)) : { turnEnded: requestMirror, parked: requestMirror },
  );
  const holds = installHolds(registry, holdsHost(parts, registry, kernelOf, present));
  const publish = following(ports.publish, () => {
    if (holder.kernel) switches.follow(holder.kernel.get(chat).toolsOff);
  });
  const watched = { ...ports, publish };
  const { origin, ...own } = facts;
  const settings = kernelHost(parts, chat, present);
  const kernel = origin
    ? Kernel.fork(watched, registry, settings, { facts: { ...own, origin }, ref: { from: origin.key, at: origin.at } })
    : Kernel.create(watched, registry, settings, own);
  holder.kernel = kernel;
  switches.follow(kernel.get(chat).toolsOff);
  const conversation = {
    visibility: facts.visibility,
    read: kernelOf,
    commit: <T>(builder: (tx: HostTx) => T) => kernel.commit(builder),
  };
  const answer: Life["answer"] = (given) => answerPrompt(host, conversation, given);
  return { kernel, holds, answer, chat, tools: names, facts, room, now };
}

/** Looks at what each commit changed before it is published, a rewind's as much as a setting's. */
function following(publish: KernelPorts["publish"], look: () => void): KernelPorts["publish"] {
  return {
    commit(frame) {
      look();
      publish.commit(frame);
    },
    delta: (frame) => publish.delta(frame),
  };
}

function kernelHost(
  { facts, speaker: speakerOf, defaultModel, windowOf, config, host }: LifeParts,
  chat: Namespace<ChatState>,
  present: Present,
): KernelHost {
  return {
    name: facts.key,
    async settings({ actor, meta }, read): Promise<TurnSettings> {
      const speaker = present(await speakerOf(actor, identityOf(meta)));
      const { model: chosen, thinking } = read.get(chat);
      const model = chosen === "" ? defaultModel : chosen;
      const contextTokens = windowOf(model);
      const mayStay = speaker !== undefined && tierAtLeast(speaker.tier, "member");
      return {
        model,
        ...(contextTokens !== undefined && { contextTokens }),
        thinking: thinking === "" ? config.agent.thinking : thinking,
        ...(!mayStay && { refusal: "You may not use this conversation any more: ask an owner." }),
        offers: ({ name }) =>
          speaker !== undefined && tierAtLeast(speaker.tier, host.tierOf(name)) && isOffered(facts.owned, name),
      };
    },
  };
}

/** An owned conversation has what its owner named, and by itself nothing that would own another. */
function isOffered(owned: OwnedFacts | undefined, tool: string): boolean {
  if (!owned) return true;
  return owned.tools ? owned.tools.includes(tool) : tool !== SUBAGENT_TOOL;
}

function holdsHost(parts: LifeParts, registry: Registry, kernelOf: () => Kernel, present: Present): HoldsHost {
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
    speaker: async ({ actor, meta }, { fresh }) =>
      present(await (fresh ? readSpeaker(db, actor, identityOf(meta)) : parts.speaker(actor, identityOf(meta)))),
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

/** Plugins describe calls better than the operator's file does, so they are heard first. */
function rulesOf(host: Host, config: Config): HoldRules {
  const { deny, hold } = operatorRules(config.policy);
  return { deny, hold: [...host.holdRules, ...hold] };
}

/** The identity that an input was admitted under. */
export function identityOf(meta: Json): string | undefined {
  const identity = (meta as { readonly identity?: unknown } | null)?.identity;
  return typeof identity === "string" ? identity : undefined;
}
