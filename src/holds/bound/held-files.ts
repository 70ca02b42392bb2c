import { escapeName } from "../card/escape.ts";
import type { HoldsHost } from "../holds-host.ts";
import type { BoundFile, HeldFile } from "./bound-call.ts";

/** Bytes of a file that a held call may name. */
export const MAX_HELD_FILE_BYTES = 10 * 1024 * 1024;

/** The files of a held call at this moment. */
export interface HeldFiles {
  readonly shown: readonly HeldFile[];
  /** What an approval is bound to: one that cannot be read is there without a digest, so that it differs from any that can. */
  readonly bound: readonly BoundFile[];
  /** Why one cannot be read: then there is no card. */
  readonly fault?: string;
}

/** Reads the files that a description names, one after the other. @throws when their store cannot be reached. */
export async function readHeldFiles(host: Pick<HoldsHost, "file">, ids: readonly string[]): Promise<HeldFiles> {
  const shown: HeldFile[] = [];
  const bound: BoundFile[] = [];
  const faults: string[] = [];
  for (const id of new Set(ids)) {
    const file = await host.file(id);
    if (typeof file === "object") shown.push(file);
    else faults.push(faultOf(id, file));
    bound.push({ id, sha256: typeof file === "object" ? file.sha256 : "" });
  }
  const [fault] = faults;
  return { shown, bound, ...(fault !== undefined && { fault }) };
}

function faultOf(id: string, why: "missing" | "too_large"): string {
  const named = `The file ${escapeName(id)} that this call names`;
  return why === "missing"
    ? `${named} is not in this conversation.`
    : `${named} is larger than ${MAX_HELD_FILE_BYTES} bytes, the most that can be approved.`;
}
