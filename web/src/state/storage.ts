import type { FileRef } from "../../../src/protocol/message.ts";
import type { Outbox, Written } from "./outbox.ts";

/** What survives a reload of the page, in the browser's storage. One key an item, so that tabs do not overwrite each other. */
export interface Keep {
  readDraft(conversation: string): Draft;
  writeDraft(conversation: string, draft: Draft): void;
  readOutbox(conversation: string): readonly Written[];
  /** Stores what is not with the server yet and removes what is. */
  writeOutbox(conversation: string, before: Outbox, after: Outbox): void;
  /** Conversations that exist only here until their first message goes out. */
  isUncreated(conversation: string): boolean;
  setUncreated(conversation: string, uncreated: boolean): void;
  /** Principal id of whoever was signed in last. */
  readPerson(): string | undefined;
  writePerson(id: string): void;
  /** Removes everything of one conversation. */
  forget(conversation: string): void;
  /** Removes everything: the person signs out. */
  clear(): void;
}

/** Words and uploaded files that were not sent yet. */
export interface Draft {
  readonly text: string;
  readonly files: readonly FileRef[];
}

export const EMPTY_DRAFT: Draft = { text: "", files: [] };

type StorageShape = Pick<Storage, "getItem" | "setItem" | "removeItem" | "key" | "length">;

const PREFIX = "althing.";
const PERSON_KEY = `${PREFIX}person`;

/**
 * Keeps things in a `Storage`. A full one loses the convenience, never the message on the screen.
 * @param onFull hears that something could not be kept.
 */
export function keepIn(storage: StorageShape, onFull: () => void): Keep {
  const write = (key: string, value: string | undefined): void => {
    if (value === undefined) return storage.removeItem(key);
    try {
      storage.setItem(key, value);
    } catch {
      onFull();
    }
  };
  const draftKey = (id: string) => `${PREFIX}draft.${id}`;
  const outboxKey = (id: string, message: string) => `${PREFIX}outbox.${id}.${message}`;
  const newKey = (id: string) => `${PREFIX}new.${id}`;
  return {
    readDraft: (id) => parseDraft(read(storage, draftKey(id))),
    writeDraft: (id, draft) => {
      const isEmpty = draft.text === "" && draft.files.length === 0;
      write(draftKey(id), isEmpty ? undefined : JSON.stringify(draft));
    },
    readOutbox: (id) =>
      keysUnder(storage, outboxKey(id, ""))
        .map((key) => parseWritten(read(storage, key)))
        .filter((item) => item !== undefined)
        .sort((a, b) => a.at - b.at),
    writeOutbox: (id, before, after) => {
      const kept = after.filter((item) => item.status !== "accepted");
      for (const item of before) {
        if (!kept.some((other) => other.id === item.id)) write(outboxKey(id, item.id), undefined);
      }
      for (const { id: message, text, files, at, rewindTo } of kept) {
        if (before.some((other) => other.id === message)) continue;
        write(outboxKey(id, message), JSON.stringify({ id: message, text, files, at, rewindTo }));
      }
    },
    isUncreated: (id) => read(storage, newKey(id)) !== null,
    setUncreated: (id, uncreated) => write(newKey(id), uncreated ? "1" : undefined),
    readPerson: () => read(storage, PERSON_KEY) ?? undefined,
    writePerson: (id) => write(PERSON_KEY, id),
    forget: (id) => {
      const keys = [draftKey(id), newKey(id), ...keysUnder(storage, outboxKey(id, ""))];
      for (const key of keys) write(key, undefined);
    },
    clear: () => {
      for (const key of keysUnder(storage, PREFIX)) write(key, undefined);
    },
  };
}

function keysUnder(storage: StorageShape, prefix: string): string[] {
  const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  return keys.filter((key) => key?.startsWith(prefix) === true) as string[];
}

function read(storage: StorageShape, key: string): string | null {
  return storage.getItem(key);
}

function parseDraft(text: string | null): Draft {
  const value = parseObject(text);
  if (value === undefined || typeof value.text !== "string") return EMPTY_DRAFT;
  return { text: value.text, files: parseFiles(value.files) };
}

function parseWritten(text: string | null): Written | undefined {
  const value = parseObject(text);
  if (value === undefined) return undefined;
  const { id, text: words, at, rewindTo } = value;
  if (typeof id !== "string" || typeof words !== "string" || typeof at !== "number") return undefined;
  const back = typeof rewindTo === "number" ? { rewindTo } : {};
  return { id, text: words, at, files: parseFiles(value.files), ...back };
}

function parseFiles(value: unknown): FileRef[] {
  const isFile = (file: Partial<FileRef> | null) => typeof file?.id === "string" && typeof file.name === "string";
  return Array.isArray(value) ? (value as FileRef[]).filter(isFile) : [];
}

function parseObject(text: string | null): Record<string, unknown> | undefined {
  if (text === null) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
