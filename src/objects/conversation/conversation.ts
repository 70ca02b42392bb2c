import type { JsonObject } from "../../lib/json.ts";
import { decodeCaller } from "../../people/caller-header.ts";
import type { Caller, Origin } from "../../people/facts.ts";
import type { ChainPage } from "../../protocol/audit.ts";
import { CHAT_PROTOCOL, CLOSE } from "../../protocol/close.ts";
import type { AnswerBody, CardAction, DecideBody, SendBody } from "../../protocol/frames.ts";
import type { FileRef } from "../../protocol/message.ts";
import type {
  ConstraintBody,
  PinBody,
  ReplayAnswer,
  SentRequest,
  SettingsBody,
  Visibility,
} from "../../protocol/rest.ts";
import type { ViewEntry } from "../../protocol/view.ts";
import {
  type Answer,
  CALLER_HEADER,
  type MembersAnswer,
  type ObjectRpc,
  type PageAnswer,
  type SnapshotAnswer,
  type SubmitReceipt,
} from "../rpc.ts";
import type { ExportPlace, ExportRows } from "../transfer/transfer-rpc.ts";
import { ConversationForPeers } from "./conversation-for-peers.ts";

/**
 * A Conversation object: one per channel key. Wires the platform's events to the conversation and decides nothing. It may
 * be evicted or killed between any two events. A deployment's class extends it with its options.
 */
export class ConversationObject extends ConversationForPeers implements ObjectRpc {
  create(caller: Caller, key: string, visibility?: Visibility): Answer<{ readonly created: boolean }> {
    return this.home.desk.create(caller, key, visibility);
  }

  members(caller: Caller): Answer<MembersAnswer> {
    return this.home.members.members(caller);
  }

  addMember(caller: Caller, person: string): Answer<Record<string, never>> {
    return this.home.members.addMember(caller, person);
  }

  removeMember(caller: Caller, person: string): Answer<Record<string, never>> {
    return this.home.members.removeMember(caller, person);
  }

  submit(caller: Caller, body: SendBody): Answer<SubmitReceipt> {
    return this.home.desk.submit(caller, body);
  }

  withdraw(caller: Caller, input: string): Answer<Record<string, never>> {
    return this.home.desk.withdraw(caller, input);
  }

  stop(caller: Caller): Answer<{ readonly stopped: boolean }> {
    return this.home.desk.stop(caller);
  }

  resumeQueue(caller: Caller): Answer<{ readonly started: boolean }> {
    return this.home.desk.resumeQueue(caller);
  }

  decide(caller: Caller, body: DecideBody): Answer<Record<string, never>> {
    return this.home.desk.cards.decide(caller, body);
  }

  decideMany(...asked: Parameters<ObjectRpc["decideMany"]>): ReturnType<ObjectRpc["decideMany"]> {
    return this.home.desk.cards.decideMany(...asked);
  }

  actOnCard(caller: Caller, hold: string, action: CardAction): Answer<Record<string, never>> {
    return this.home.desk.cards.actOnCard(caller, hold, action);
  }

  answer(caller: Caller, body: AnswerBody): Answer<Record<string, never>> {
    return this.home.desk.answer(caller, body);
  }

  constrain(caller: Caller, body: ConstraintBody): Answer<Record<string, never>> {
    return this.home.policy.constrain(caller, body);
  }

  unconstrain(caller: Caller, id: string): Answer<Record<string, never>> {
    return this.home.policy.unconstrain(caller, id);
  }

  revoke(caller: Caller, id: string): Answer<Record<string, never>> {
    return this.home.policy.revoke(caller, id);
  }

  snapshot(caller: Caller): Answer<SnapshotAnswer> {
    return this.home.desk.snapshot(caller);
  }

  entries(caller: Caller, page: { readonly before?: number; readonly limit: number }): Answer<PageAnswer> {
    return this.home.desk.entries(caller, page);
  }

  entry(caller: Caller, id: number): Answer<ViewEntry> {
    return this.home.desk.entry(caller, id);
  }

  settings(caller: Caller, body: SettingsBody): Answer<Record<string, never>> {
    return this.home.desk.settings(caller, body);
  }

  holdArgument(caller: Caller, hold: string, name: string): Answer<{ readonly value: string }> {
    return this.home.desk.cards.holdArgument(caller, hold, name);
  }

  addFile(caller: Caller, file: FileRef): Answer<Record<string, never>> {
    return this.home.desk.addFile(caller, file);
  }

  removeFile(caller: Caller, id: string): Answer<Record<string, never>> {
    return this.home.desk.removeFile(caller, id);
  }

  file(caller: Caller, id: string): Answer<FileRef> {
    return this.home.desk.file(caller, id);
  }

  reset(caller: Caller): Answer<{ readonly status: "placed" | "queued" }> {
    return this.home.history.reset(caller);
  }

  rewind(caller: Caller, to: number): Answer<Record<string, never>> {
    return this.home.history.rewind(caller, to);
  }

  pin(caller: Caller, body: PinBody): Answer<Record<string, never>> {
    return this.home.history.pin(caller, body);
  }

  left(caller: Caller, rewind: number): Answer<{ readonly entries: readonly ViewEntry[] }> {
    return this.home.history.left(caller, rewind);
  }

  audit(caller: Caller, page: { readonly after: number; readonly limit: number }): Answer<ChainPage> {
    return this.home.audit.audit(caller, page);
  }

  compact(caller: Caller): Answer<{ readonly started: true }> {
    return this.home.history.compact(caller);
  }

  sentRequest(caller: Caller, entry: number): Answer<SentRequest> {
    return this.home.inspect.sentRequest(caller, entry);
  }

  replay(caller: Caller, entry: number, model: string): Answer<ReplayAnswer> {
    return this.home.inspect.replay(caller, entry, model);
  }

  stopTask(caller: Caller, task: number): Answer<{ readonly stopped: boolean }> {
    return this.home.history.stopTask(caller, task);
  }

  destroy(caller: Caller): Answer<{ readonly files: readonly string[] }> {
    return this.home.desk.destroy(caller);
  }

  exportPage(
    caller: Caller,
    after: number,
  ): Answer<{ readonly entries: readonly JsonObject[]; readonly next?: number }> {
    return this.home.desk.exportPage(caller, after);
  }

  fork(caller: Caller, key: string, origin: Origin): Answer<{ readonly created: boolean }> {
    return this.home.forks.fork(caller, key, origin);
  }

  exportPlace(caller: Caller): Answer<ExportPlace> {
    return this.home.transfer.exportPlace(caller);
  }

  exportRows(caller: Caller, spans: ExportPlace["spans"], after: number): Answer<ExportRows> {
    return this.home.transfer.exportRows(caller, spans, after);
  }

  importFrom(caller: Caller, key: string, origin: Origin): Answer<{ readonly created: boolean }> {
    return this.home.transfer.importFrom(caller, key, origin);
  }

  /** The socket upgrade, forwarded by the Worker with the caller it resolved. Nobody else reaches this. */
  override async fetch(request: Request): Promise<Response> {
    const caller = decodeCaller(request.headers.get(CALLER_HEADER));
    if (!caller) return new Response("no caller", { status: 400 });
    const pair = new WebSocketPair();
    const refused = await this.home.admitSocket(caller, pair[1]);
    if (refused) return refused;
    const headers = { "sec-websocket-protocol": CHAT_PROTOCOL };
    return new Response(null, { status: 101, webSocket: pair[0], headers });
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    await this.home.onMessage(socket, message);
  }

  override webSocketClose(socket: WebSocket): void {
    this.home.room.drop(socket);
  }

  override webSocketError(socket: WebSocket): void {
    this.home.room.close(socket, CLOSE.internal, "The connection failed.");
  }

  override async alarm(info?: AlarmInvocationInfo): Promise<void> {
    await this.home.onAlarm(info?.retryCount ?? 0);
  }
}
