import { completeSurface, type Host, toolsOf } from "../../host/index.ts";
import { type DeliveryOutcome, Kernel, type KernelPorts, type MeterPort, type OutboxRow } from "../../kernel/index.ts";
import type { Models } from "../../models/index.ts";
import { createDirectory, type Directory } from "../../people/directory.ts";
import type { Caller, ConversationFacts } from "../../people/facts.ts";
import { readSpeaker, rememberSpeakers } from "../../people/speaker.ts";
import { CLOSE } from "../../protocol/close.ts";
import type { FileRef } from "../../protocol/message.ts";
import { type Database, openDatabase } from "../../store/database.ts";
import { readSurvivor } from "../../store/merges.ts";
import { handleMessage } from "../../surfaces/webchat/handle-frame.ts";
import { HEARING_MS } from "../../surfaces/webchat/hearing.ts";
import { type RoomHost, SocketRoom } from "../../surfaces/webchat/socket-room.ts";
import { OwnedDesk } from "../child/owned-desk.ts";
import { OwnerDesk, type OwnerHost } from "../child/owner-desk.ts";
import { hostFor } from "../deployed-host.ts";
import { AuditDesk } from "../desk/audit-desk.ts";
import { BackgroundDesk } from "../desk/background-desk.ts";
import { ConversationDesk } from "../desk/conversation-desk.ts";
import { HistoryDesk } from "../desk/history-desk.ts";
import { InspectDesk } from "../desk/inspect-desk.ts";
import { PolicyDesk } from "../desk/policy-desk.ts";
import { SayDesk } from "../desk/say-desk.ts";
import { ErasureDesk } from "../erasure/erasure-desk.ts";
import { FileDigests } from "../files/file-digests.ts";
import { copyFiles, deleteUnder, filePlace } from "../files/stored-files.ts";
import { ForkDesk } from "../fork/fork-desk.ts";
import { reportFor } from "../log.ts";
import { originsOf } from "../origins.ts";
import { peerOf } from "../peer.ts";
import { objectAlarm, systemClock, systemRandom } from "../platform.ts";
import { principalOf } from "../principal/principal-rpc.ts";
import { spendingMeter } from "../principal/spending-meter.ts";
import { RoomDesk } from "../room/room-desk.ts";
import type { Refusal } from "../rpc.ts";
import { AdmissionDesk } from "../surface/admission-desk.ts";
import { messageSurfaceOf } from "../surface/network-side.ts";
import { SurfaceDesk } from "../surface/surface-desk.ts";
import { SurfaceLane } from "../surface/surface-lane.ts";
import { TransferDesk } from "../transfer/transfer-desk.ts";
import { admitSocket } from "./admit-socket.ts";
import { conversationModels } from "./conversation-models.ts";
import type { ConversationOptions } from "./conversation-options.ts";
import { deliverRow } from "./deliver-row.ts";
import { Entrance } from "./entrance.ts";
import { HoldsMirror } from "./holds-mirror.ts";
import { type Life, type LifeParts, openLife } from "./life.ts";
import { renewalBy } from "./token-renewal.ts";
import { identityOf } from "./turn-settings.ts";

/**
 * How old remembered facts about a caller may be, where an action does not ask for fresh ones. A listener is asked about
 * once in {@link HEARING_MS}: together nobody hears anything 30 s after they may not any more.
 */
const DIRECTORY_MAX_AGE_MS = 30_000 - HEARING_MS;

/** One conversation at home in its Durable Object: opens it when first needed and connects it with sockets, D1 and R2. */
export class ConversationHome {
  readonly room: SocketRoom;
  readonly desk: ConversationDesk;
  readonly members: RoomDesk;
  readonly history: HistoryDesk;
  readonly policy: PolicyDesk;
  readonly audit: AuditDesk;
  readonly inspect: InspectDesk;
  readonly forks: ForkDesk;
  readonly transfer: TransferDesk;
  readonly owners: OwnerDesk;
  readonly owned: OwnedDesk;
  readonly background: BackgroundDesk;
  readonly sayings: SayDesk;
  readonly surface: SurfaceDesk;
  readonly erasure: ErasureDesk;
  readonly #ctx: DurableObjectState;
  readonly #env: Env;
  readonly #options: ConversationOptions;
  readonly #db: Database;
  readonly #host: Host;
  readonly #directory: Directory;
  readonly #speaker: LifeParts["speaker"];
  readonly #models: Models;
  readonly #mirror: HoldsMirror;
  #life: Life | undefined;

  constructor(ctx: DurableObjectState, env: Env, options: ConversationOptions) {
    this.#ctx = options.observe?.(ctx) ?? ctx;
    this.#env = env;
    this.#options = options;
    this.#db = openDatabase(env.DB);
    this.#directory = createDirectory(this.#db, systemClock, {
      maxAgeMs: DIRECTORY_MAX_AGE_MS,
      onFailure: (cause) => this.#report("directory.failed", { cause }),
    });
    this.#speaker = rememberSpeakers((id, by) => readSpeaker(this.#db, id, by), systemClock, DIRECTORY_MAX_AGE_MS);
    this.#host = hostFor(options, env);
    this.#models = conversationModels(options, env, this.#host, () => this.#life?.facts.key ?? "");
    this.#mirror = new HoldsMirror(this.#db, (event, facts) => this.#report(event, facts));
    const { now } = systemClock;
    const choices: RoomHost["choices"] = (person) => this.desk.cards.choices(person);
    this.room = new SocketRoom(ctx.getWebSockets(), { now, choices, barred: (person) => this.#barred(person) });
    const reconsider: SocketRoom["reconsider"] = (principalId, change) => this.room.reconsider(principalId, change);
    const life = () => this.#open();
    const destroy = (by: string | null) => this.#destroyWithFiles(by);
    const entrance = new Entrance(this.#directory, life);
    const create = (facts: ConversationFacts) => this.#begin(facts);
    const asked = { directory: this.#directory, host: this.#host, clock: systemClock };
    this.desk = new ConversationDesk({
      directory: this.#directory,
      models: this.#models.choices,
      entrance,
      create,
      now,
      renew: renewalBy(options, this.#db),
      destroy: (by) => this.#destroy(by),
      admission: new AdmissionDesk({ ...asked, entrance }),
      personas: this.#host.personas,
    });
    this.members = new RoomDesk({ ...asked, entrance, survivorOf: (id) => readSurvivor(this.#db, id), reconsider });
    this.history = new HistoryDesk(entrance);
    this.audit = new AuditDesk(entrance);
    this.policy = new PolicyDesk(entrance, this.#directory);
    const { choices: models, port: model } = this.#models;
    const meter = () => this.#meter(this.#life?.facts);
    this.inspect = new InspectDesk({ entrance, models, model, clock: systemClock, meter });
    const peer = (key: string) => peerOf(env, key);
    this.forks = new ForkDesk({ entrance, create, peer });
    this.transfer = new TransferDesk({ entrance, create });
    const copyTo = (...[from, files, signal]: Parameters<OwnerHost["copyFiles"]>) =>
      copyFiles(env.FILES, { from, to: this.#life?.facts.key ?? "", files, signal });
    this.owners = new OwnerDesk({ life, peer, copyFiles: copyTo });
    this.surface = new SurfaceDesk({ ...asked, bucket: env.FILES, life, create, channel: ctx.id.name ?? "" });
    this.background = new BackgroundDesk({ life, peer });
    this.sayings = new SayDesk({ life, peer, host: this.#host, maySpeakFor: (id) => this.#maySpeakFor(id) });
    this.erasure = new ErasureDesk({ life, db: this.#db, bucket: env.FILES, destroy, reconsider });
    this.owned = new OwnedDesk({
      life,
      create,
      destroy: () => destroy(null),
      peer,
      mayOwn: (principalId) => this.#directory.mayOnBehalf({ principalId }, "create", () => this.#life?.now()),
      tools: toolsOf(this.#host).map(({ name }) => name),
      models: this.#models.choices.map(({ id }) => id),
    });
  }

  /** Takes a socket in, or says with which status it is refused. */
  admitSocket(caller: Caller, socket: WebSocket): Promise<Response | undefined> {
    const accept = (one: WebSocket) => this.#ctx.acceptWebSocket(one);
    const parts = { directory: this.#directory, room: this.room, now: () => this.#open()?.now(), accept };
    return admitSocket(parts, caller, socket);
  }

  async onMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    try {
      await this.room.inOrder(socket, () => handleMessage(this.room, this.desk, socket, message, systemClock.now()));
    } catch (error) {
      this.#report("frame.failed", { error: String(error) });
      this.room.close(socket, CLOSE.internal, "The server failed on this message; nothing is lost, connect again.");
    }
  }

  /** @throws when the alarm has to come again. */
  async onAlarm(retryCount: number): Promise<void> {
    // Without a conversation the alarm is a leftover of a deleted one.
    const life = this.#load();
    await life?.kernel.onAlarm(retryCount);
    // A kernel that is lost could not arm the next alarm: the platform repeats one whose handler failed.
    if (life?.kernel.isLost) throw new Error("the conversation was lost in its alarm");
  }

  async #barred(person: Caller): Promise<Refusal | undefined> {
    const verdict = await this.#directory.may(person, "read", () => this.#life?.now());
    return verdict.ok ? undefined : verdict.error;
  }

  /** The conversation at work. */
  #open(): Life | undefined {
    const known = this.#life;
    const life = this.#load();
    if (life !== known) life?.kernel.resume();
    return life;
  }

  /** As {@link #open}, and starts nothing that does not run already. */
  #load(): Life | undefined {
    // What it promised is in its storage: a fresh kernel goes on from there.
    if (this.#life?.kernel.isLost) this.#life = undefined;
    if (this.#life || !Kernel.exists(this.#ctx)) return this.#life;
    return this.#begin(Kernel.factsOf(this.#ctx) as unknown as ConversationFacts);
  }

  #maySpeakFor(principalId: string): ReturnType<LifeParts["maySpeakFor"]> {
    return this.#directory.mayOnBehalf({ principalId }, "send", () => this.#life?.now());
  }

  #begin(facts: ConversationFacts): Life {
    const { config } = this.#options;
    this.#life = openLife({
      ports: this.#ports(facts),
      facts,
      config,
      defaultModel: this.#models.defaultModel,
      windowOf: (model) => this.#models.limits(model)?.contextTokens,
      db: this.#db,
      digests: new FileDigests(this.#env.FILES),
      speaker: this.#speaker,
      maySpeakFor: (principalId) => this.#maySpeakFor(principalId),
      host: this.#host,
    });
    return this.#life;
  }

  /** @throws when D1 cannot take what the audit still has to tell: then nothing is gone. */
  async #destroy(by: string | null): Promise<void> {
    if (this.#life) await this.#mirror.close(this.#life, by);
    const ended = this.owners.endAll();
    const life = this.#life;
    this.#life = undefined;
    this.room.closeAll(CLOSE.gone, "The conversation was deleted.");
    // All at once: whoever comes while the old work winds down must find nothing to open.
    const { storage } = this.#ctx;
    await Promise.all([life?.kernel.close(), storage.deleteAlarm(), storage.deleteAll(), ended]);
  }

  /** Files first: without its storage nobody would know of them. */
  async #destroyWithFiles(by: string | null): Promise<void> {
    const key = this.#life?.facts.key;
    if (key !== undefined) await deleteUnder(this.#env.FILES, filePlace(key, ""));
    await this.#destroy(by);
  }

  #ports(facts: ConversationFacts): KernelPorts {
    return {
      storage: this.#ctx.storage,
      alarm: objectAlarm(this.#ctx.storage),
      clock: systemClock,
      random: systemRandom,
      model: this.#models.port,
      deliver: { deliver: (row) => this.#deliver(row) },
      children: this.owners,
      origin: originsOf(this.#env, this.#models, () => this.#life),
      meter: this.#meter(facts),
      publish: {
        commit: (frame) => this.room.broadcast(frame),
        delta: (frame) => this.room.broadcast(frame),
      },
      report: reportFor(facts.key),
    };
  }

  #meter(facts: ConversationFacts | undefined): MeterPort {
    return spendingMeter({
      conversation: facts?.key ?? "",
      countsTurns: facts?.owned === undefined,
      limits: (model) => this.#models.limits(model),
      tierOf: async (actor, meta) => {
        const speaker = await this.#speaker(actor, identityOf(meta));
        return speaker?.ownTier ?? speaker?.tier;
      },
      principal: (id) => principalOf(this.#env, id),
    });
  }

  async #deliver(row: OutboxRow): Promise<DeliveryOutcome> {
    const { owners, owned, background, sayings } = this;
    const receivers = { owners, owned, background, sayings, mirror: this.#mirror, db: this.#db, env: this.#env };
    return await deliverRow(row, { life: this.#life, ...receivers, lane: (facts) => this.#lane(facts) });
  }

  #lane({ key }: ConversationFacts): SurfaceLane | undefined {
    const surface = messageSurfaceOf(this.#host, key);
    const { report } = reportFor(key);
    const read = async (file: FileRef) => (await this.#env.FILES.get(filePlace(key, file.id)))?.arrayBuffer() ?? null;
    return (
      surface && new SurfaceLane({ surface: completeSurface(surface, report), read, now: systemClock.now, report })
    );
  }

  #report(event: string, facts: { readonly [key: string]: string }): void {
    reportFor(this.#life?.facts.key ?? "unopened").report(event, facts);
  }
}
