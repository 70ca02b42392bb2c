import { err, type Result } from "../../lib/result.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_INBOX } from "../limits.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import { type AdmissionReceipt, type AdmissionRefusal, admitInput, type Submission } from "../turn/admit.ts";
import { rewindTo } from "./rewind.ts";

/** Admits an input; one that names where it goes on from takes the conversation back there first. Refusals write nothing. */
export function admitAfterRewind(
  tx: Tx,
  submission: Submission,
  registry: RegistrySnapshot,
  storage: StoragePort,
): Result<AdmissionReceipt, AdmissionRefusal> {
  const { rewindTo: to, key, actor } = submission;
  if (to !== undefined && !tx.input(key)) {
    if (tx.control.inbox.length >= MAX_INBOX) return err("inbox_full");
    const rewound = rewindTo(tx, storage, to, actor);
    if (!rewound.ok) return rewound;
  }
  return admitInput(tx, submission, registry);
}
