import { inheritConstraints } from "../holds/index.ts";
import type { Entry, ForkPage, HostTx, OriginPort } from "../kernel/index.ts";
import type { JsonObject } from "../lib/json.ts";
import { err, ok } from "../lib/result.ts";
import type { OnBehalf } from "../people/facts.ts";
import type { FileRef } from "../protocol/message.ts";
import { FILES } from "../surfaces/webchat/files-state.ts";
import type { Life } from "./life.ts";
import { requestMirror } from "./registry-mirror.ts";
import type { ObjectRpc, Refusal } from "./rpc.ts";
import { copyFiles, registerFiles } from "./stored-files.ts";

/** Files copied for one page: each is two calls to R2, and an event may make only so many. */
const MAX_FILES_PER_PAGE = 10;

/** What the fork's side of a copy works with. */
export interface ForkOriginParts {
  readonly bucket: R2Bucket;
  readonly peer: (key: string) => ObjectRpc;
  /** The fork itself, as long as it is open. */
  readonly life: () => Life | undefined;
}

/**
 * Reads the conversation that a fork comes from, in the name of the fork's owner and nothing else. The files of a page are
 * copied before it counts, and it is cut where they are too many.
 */
export function forkOrigin({ bucket, peer, life }: ForkOriginParts): OriginPort {
  return {
    async page({ from, at }, after, signal) {
      const fork = life();
      if (!fork) throw new Error("the fork is not open");
      const caller: OnBehalf = { principalId: fork.facts.owner };
      const answer = await peer(from).forkPage(caller, { at, after });
      if (!answer.ok) return refuse(answer.error);
      const { page, files } = cutPage(answer.value.page, (id) => Object.hasOwn(fork.kernel.get(FILES).files, id));
      const copied = await copyFiles(bucket, { from, to: fork.facts.key, files, signal });
      const { chat, constraints = [] } = answer.value;
      return ok({
        page,
        calls: 1 + 2 * files.length,
        place(tx) {
          registerFiles(tx, copied);
          if (chat) takeSettings(tx, fork, chat);
          inheritConstraints(tx, constraints);
        },
      });
    },
    ended: requestMirror,
  };
}

/** What may pass is thrown, so that it is asked for again. */
function refuse({ code, message }: Refusal): ReturnType<typeof err<string>> {
  switch (code) {
    case "unavailable":
    case "busy":
      throw new Error(message);
    case "not_found":
      return err("the conversation that it came from is gone, or not yours to read any more");
    default:
      return err(`the conversation that it came from may not be read (${message})`);
  }
}

/** The page as far as its new files can be copied at once, and always an entry of it. */
function cutPage(
  page: ForkPage,
  isHere: (file: string) => boolean,
): { readonly page: ForkPage; readonly files: readonly FileRef[] } {
  const files = new Map<string, FileRef>();
  for (const [n, entry] of page.entries.entries()) {
    const more = filesOf(entry).filter(({ id }) => !isHere(id) && !files.has(id));
    if (n > 0 && more.length > 0 && files.size + more.length > MAX_FILES_PER_PAGE) {
      return { page: { entries: page.entries.slice(0, n) }, files: [...files.values()] };
    }
    for (const file of more) files.set(file.id, file);
  }
  return { page, files: [...files.values()] };
}

function filesOf({ message }: Entry): readonly FileRef[] {
  if (!message || message.role === "system" || message.role === "assistant") return [];
  return message.content.flatMap((part) => (part.type === "file" ? [part.file] : []));
}

/** Title and settings of the other conversation, where nothing was chosen here. */
function takeSettings(tx: HostTx, { chat }: Life, given: JsonObject): void {
  const own: JsonObject = tx.get(chat);
  const isUnset = (key: string) => JSON.stringify(own[key]) === JSON.stringify((chat.defaults as JsonObject)[key]);
  // What follows the transcript comes with it, as it stood at the entry.
  const isSetting = (key: string) => Object.hasOwn(chat.defaults, key) && !chat.rewindable.has(key);
  const taken = Object.entries(given).filter(([key]) => isSetting(key) && isUnset(key));
  tx.set<JsonObject>(chat, Object.fromEntries(taken));
  requestMirror(tx);
}
