import { type Signal, signal } from "@preact/signals";
import type { Sending } from "../net/upload.ts";

/** A file on its way to become a conversation. */
export type ImportState =
  | { readonly status: "idle" }
  /** `checking`: all of it has left, and the server looks at it. */
  | { readonly status: "sending" | "checking"; readonly sent: number; readonly total: number }
  | { readonly status: "refused"; readonly words: string };

interface ImportPorts {
  uuid(): string;
  send(id: string, file: File, onBytes: (bytes: number) => void): Sending<unknown>;
  /** The conversation is there. */
  onMade(id: string): void;
}

/** Brings one file at a time. Sent again after a failure, it goes out under the same UUID: it becomes one conversation. */
export class BundleImport {
  readonly state: Signal<ImportState> = signal({ status: "idle" });
  readonly #ports: ImportPorts;
  #last: { readonly file: File; readonly id: string } | undefined;
  #sending: Sending<unknown> | undefined;

  constructor(ports: ImportPorts) {
    this.#ports = ports;
  }

  async start(file: File): Promise<void> {
    if (this.#sending !== undefined) return;
    if (!this.#last || !isSame(this.#last.file, file)) this.#last = { file, id: this.#ports.uuid() };
    const { id } = this.#last;
    const show = (sent: number): void => {
      this.state.value = { status: sent < file.size ? "sending" : "checking", sent, total: file.size };
    };
    show(0);
    // What is sent beside the file counts, too: more than all of it has never left.
    const sending = this.#ports.send(id, file, (bytes) => show(Math.min(bytes, file.size)));
    this.#sending = sending;
    const reply = await sending.done;
    // Who left meanwhile waits for nothing any more.
    if (this.#sending !== sending) return;
    this.#sending = undefined;
    if (!reply.ok) {
      this.state.value = { status: "refused", words: reply.error.message };
      return;
    }
    this.#last = undefined;
    this.state.value = { status: "idle" };
    this.#ports.onMade(id);
  }

  /** Stops what is under way. */
  leave(): void {
    const sending = this.#sending;
    this.#sending = undefined;
    this.state.value = { status: "idle" };
    sending?.cancel();
  }
}

function isSame(a: File, b: File): boolean {
  return a.name === b.name && a.size === b.size && a.lastModified === b.lastModified;
}
