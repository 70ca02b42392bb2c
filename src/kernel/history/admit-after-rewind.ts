import { err, type Result } from "../../lib/result.ts";
import type { Tx } from "../commit/tx.ts";
import { MAX_INBOX } from "../limits.ts";
import { hostTx } from "../plugin/host-tx.ts";
import type { StoragePort } from "../ports/storage.ts";
import type { HostTx } from "../registry/host-tx.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import { type AdmissionReceipt, type AdmissionRefusal, admitInput, type Submission } from "../turn/admit.ts";
import { rewindTo } from "./rewind.ts";

/**
 * Admits an input; one that names where it goes on from takes the conversation back there first. Refusals write nothing.
 * @param also is done before it, and only when it is new.
 */
export function admitAfterRewind(
  tx: Tx,
  submission: Submission,
  registry: RegistrySnapshot,
  storage: StoragePort,
  also?: (tx: HostTx) => void,
): Result<AdmissionReceipt, AdmissionRefusal> {
  const { rewindTo: to, key, actor } = submission;
  if (to !== undefined && !tx.input(key)) {
    if (tx.control.inbox.length >= MAX_INBOX) return err("inbox_full");
    const rewound = rewindTo(tx, storage, to, actor);
    if (!rewound.ok) return rewound;
  }
  if (also && !tx.input(key) && tx.control.inbox.length < MAX_INBOX) also(hostTx(tx));
  return admitInput(tx, submission, registry);
}
