import { type Signal, signal } from "@preact/signals";
import type { ClientFrame, ServerFrame } from "../../../src/protocol/frames.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import type { View } from "../../../src/protocol/view.ts";
import {
  addWritten,
  dropItem,
  dueItems,
  markLost,
  markReceived,
  markRefused,
  markSent,
  type Outbox,
  retryItem,
  settleOutbox,
} from "../state/outbox.ts";
import type { Ports } from "./ports.ts";

/** What a person wrote in one conversation and the server may not have yet. Kept over reloads. */
export class Post {
  readonly outbox: Signal<Outbox>;
  readonly #conversation: string;
  readonly #ports: Pick<Ports, "keep" | "uuid" | "nowMs">;

  constructor(conversation: string, ports: Pick<Ports, "keep" | "uuid" | "nowMs">) {
    this.#conversation = conversation;
    this.#ports = ports;
    this.outbox = signal(ports.keep.readOutbox(conversation).reduce<Outbox>(addWritten, []));
  }

  get isEmpty(): boolean {
    return this.outbox.value.length === 0;
  }

  /** @param rewindTo the entry that the conversation goes back to first. */
  add(text: string, files: readonly FileRef[], rewindTo?: number): void {
    const written = { id: this.#ports.uuid(), text, files, at: this.#ports.nowMs() };
    this.#set(addWritten(this.outbox.value, rewindTo === undefined ? written : { ...written, rewindTo }));
  }

  retry(id: string): void {
    this.#set(retryItem(this.outbox.value, id));
  }

  discard(id: string): void {
    this.#set(dropItem(this.outbox.value, id));
  }

  receive(receipt: Extract<ServerFrame, { readonly type: "receipt" }>): void {
    this.#set(markReceived(this.outbox.value, receipt));
  }

  /** @returns false when the refusal is about something else. */
  refuse(error: Extract<ServerFrame, { readonly type: "error" }>): boolean {
    const { ref, code, message } = error;
    if (ref === undefined || !this.outbox.value.some((item) => item.id === ref)) return false;
    this.#set(markRefused(this.outbox.value, { ref, code, message }));
    return true;
  }

  lose(): void {
    this.#set(markLost(this.outbox.value));
  }

  settle(view: View, isWhole: boolean): void {
    this.#set(settleOutbox(this.outbox.value, view, isWhole));
  }

  /** Sends what waits, in order. What the server may have already comes with its own id, so it is stored once. */
  flush(send: (frame: ClientFrame) => boolean): void {
    for (const item of dueItems(this.outbox.value)) {
      const attachments = item.files.map((file) => file.id);
      const { rewindTo } = item;
      const isSent = send({
        type: "send",
        id: item.id,
        text: item.text,
        ...(attachments.length === 0 ? {} : { attachments }),
        ...(rewindTo === undefined ? {} : { rewindTo }),
      });
      if (!isSent) return;
      this.#set(markSent(this.outbox.value, item.id));
    }
  }

  #set(outbox: Outbox): void {
    const before = this.outbox.value;
    if (outbox === before) return;
    this.#ports.keep.writeOutbox(this.#conversation, before, outbox);
    this.outbox.value = outbox;
  }
}
