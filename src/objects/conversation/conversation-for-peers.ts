import { DurableObject } from "cloudflare:workers";
import type { BackgroundOrder, Saying, SayReceipt } from "../../host/index.ts";
import type { AdmissionReceipt, ChildLook, ChildProgress, ChildReport, ForkPageRequest } from "../../kernel/index.ts";
import type { OnBehalf } from "../../people/facts.ts";
import type { Answer } from "../answer.ts";
import type { ChildOrder, ChildRef, ChildRpc } from "../child/child-rpc.ts";
import type { BackgroundRpc, BackgroundState } from "../desk/background-desk.ts";
import type { SayRpc } from "../desk/say-desk.ts";
import type { ForgetRpc } from "../erasure/erasure-rpc.ts";
import type { ForkPageAnswer, ForkRpc } from "../fork/fork-rpc.ts";
import type { RoomMergeRpc } from "../room/room-rpc.ts";
import type { Contact, SurfaceMessage, SurfaceRpc } from "../surface/surface-rpc.ts";
import { ConversationHome } from "./conversation-home.ts";
import type { ConversationOptions } from "./conversation-options.ts";

type PeerRpc = Pick<ForkRpc, "forkable" | "forkPage"> &
  ChildRpc &
  BackgroundRpc &
  SayRpc &
  SurfaceRpc &
  ForgetRpc &
  RoomMergeRpc;

/** What a Conversation object answers other objects of the deployment, and networks. Wires and decides nothing. */
export class ConversationForPeers extends DurableObject<Env> implements PeerRpc {
  protected readonly home: ConversationHome;

  constructor(ctx: DurableObjectState, env: Env, options: ConversationOptions) {
    super(ctx, env);
    this.home = new ConversationHome(ctx, env, options);
  }

  forkable(caller: OnBehalf, at: number): Answer<Record<string, never>> {
    return this.home.forks.forkable(caller, at);
  }

  forkPage(caller: OnBehalf, request: ForkPageRequest): Answer<ForkPageAnswer> {
    return this.home.forks.forkPage(caller, request);
  }

  beginChild(order: ChildOrder): Answer<Record<string, never>> {
    return this.home.owned.beginChild(order);
  }

  endChild(ref: ChildRef): Answer<Record<string, never>> {
    return this.home.owned.endChild(ref);
  }

  lookChild(ref: ChildRef): Answer<ChildLook> {
    return this.home.owned.lookChild(ref);
  }

  childWanted(task: number): Answer<{ readonly wanted: boolean }> {
    return this.home.owners.childWanted(task);
  }

  childSettled(task: number, report: ChildReport): Answer<Record<string, never>> {
    return this.home.owners.childSettled(task, report);
  }

  childProgress(task: number, progress: ChildProgress): Answer<Record<string, never>> {
    return this.home.owners.childProgress(task, progress);
  }

  startBackground(order: BackgroundOrder): Answer<AdmissionReceipt> {
    return this.home.background.startBackground(order);
  }

  backgroundState(key: string): Answer<{ readonly state: BackgroundState }> {
    return this.home.background.backgroundState(key);
  }

  sayHere(order: Saying): Answer<Record<string, never>> {
    return this.home.sayings.sayHere(order);
  }

  sayReceipt(key: string): Answer<{ readonly receipt: SayReceipt | null }> {
    return this.home.sayings.sayReceipt(key);
  }

  hear(message: SurfaceMessage): Answer<AdmissionReceipt> {
    return this.home.surface.hear(message);
  }

  press(...pressed: Parameters<SurfaceRpc["press"]>): Answer<Record<string, never>> {
    return this.home.surface.press(...pressed);
  }

  reply(...replied: Parameters<SurfaceRpc["reply"]>): Answer<Record<string, never>> {
    return this.home.surface.reply(...replied);
  }

  halt(contact: Contact): Answer<{ readonly stopped: boolean }> {
    return this.home.surface.halt(contact);
  }

  forget(...order: Parameters<ForgetRpc["forget"]>): ReturnType<ForgetRpc["forget"]> {
    return this.home.erasure.forget(...order);
  }

  mergeMember(former: string): Answer<Record<string, never>> {
    return this.home.members.mergeMember(former);
  }
}
