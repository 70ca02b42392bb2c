import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { FileRef } from "../../../src/protocol/message.ts";
import type { Upload } from "../net/upload.ts";
import { admitFiles, type MessageLimits } from "../state/message-limits.ts";
import { EMPTY_DRAFT, type Keep } from "../state/storage.ts";

/** A file beside the words. `preview` is a local address of a picture. */
export type Attachment = { readonly key: string; readonly name: string; readonly preview?: string } & (
  | { readonly status: "uploading"; readonly part: number; readonly cancel: () => void }
  | { readonly status: "ready"; readonly file: FileRef }
  | { readonly status: "failed"; readonly message: string }
);

export interface DraftPorts {
  readonly keep: Pick<Keep, "readDraft" | "writeDraft">;
  uuid(): string;
  /** Begins an upload; the conversation is created first where needed. */
  upload(file: File, onProgress: (part: number) => void): Upload;
  preview(file: File): string | undefined;
}

/** What is being written for one conversation: words and files. Kept over reloads. */
export class DraftBox {
  readonly text: Signal<string>;
  readonly attachments: Signal<readonly Attachment[]>;
  readonly files: ReadonlySignal<readonly FileRef[]>;
  readonly isUploading: ReadonlySignal<boolean>;
  #key: string;
  readonly #ports: DraftPorts;

  constructor(key: string, ports: DraftPorts) {
    const draft = ports.keep.readDraft(key);
    this.#key = key;
    this.#ports = ports;
    this.text = signal(draft.text);
    this.attachments = signal(draft.files.map((file) => ({ key: file.id, name: file.name, status: "ready", file })));
    this.files = computed(() => this.attachments.value.flatMap((item) => (item.status === "ready" ? [item.file] : [])));
    this.isUploading = computed(() => this.attachments.value.some((item) => item.status === "uploading"));
  }

  write(text: string): void {
    this.text.value = text;
    this.#store();
  }

  /** Attaches what fits and uploads it at once. @returns a sentence for each file that does not fit. */
  attach(files: readonly File[], limits: MessageLimits): readonly string[] {
    const { taken, refused } = admitFiles(files, this.attachments.value.length, limits);
    for (const file of taken) void this.#upload(file);
    return refused;
  }

  detach(key: string): void {
    const item = this.attachments.value.find((other) => other.key === key);
    if (item?.status === "uploading") item.cancel();
    this.attachments.value = this.attachments.value.filter((other) => other.key !== key);
    this.#store();
  }

  /** Puts words and files back, e.g. of a refused message. What is there already stays. */
  restore(text: string, files: readonly FileRef[]): void {
    this.text.value = this.text.value.trim() === "" ? text : `${text}\n\n${this.text.value}`;
    const known = new Set(this.files.value.map((file) => file.id));
    const back = files.filter((file) => !known.has(file.id));
    this.attachments.value = [
      ...this.attachments.value,
      ...back.map((file): Attachment => ({ key: file.id, name: file.name, status: "ready", file })),
    ];
    this.#store();
  }

  clear(): void {
    this.text.value = "";
    this.attachments.value = [];
    this.#store();
  }

  /** The chat got an address: from now on the draft is kept under it. */
  moveTo(key: string): void {
    this.#ports.keep.writeDraft(this.#key, EMPTY_DRAFT);
    this.#key = key;
    this.#store();
  }

  async #upload(file: File): Promise<void> {
    const key = this.#ports.uuid();
    const preview = this.#ports.preview(file);
    const shown = { key, name: file.name, ...(preview === undefined ? {} : { preview }) };
    const running: { upload?: Upload } = {};
    const uploading = (part: number): Attachment => ({
      ...shown,
      status: "uploading",
      part,
      cancel: () => running.upload?.cancel(),
    });
    this.attachments.value = [...this.attachments.value, uploading(0)];
    running.upload = this.#ports.upload(file, (part) => this.#replace(uploading(part)));
    const reply = await running.upload.done;
    this.#replace(
      reply.ok
        ? { ...shown, status: "ready", file: reply.value }
        : { ...shown, status: "failed", message: reply.error.message },
    );
    this.#store();
  }

  #replace(next: Attachment): void {
    this.attachments.value = this.attachments.value.map((item) => (item.key === next.key ? next : item));
  }

  #store(): void {
    this.#ports.keep.writeDraft(this.#key, { text: this.text.value, files: this.files.value });
  }
}
