import type { HostTx } from "../kernel/index.ts";

/** Outbox target and key of the mirror row: one at a time, the newest replaces the older. */
export const MIRROR = "registry";

/** Changes that follow one another this closely are told together. */
const COALESCE_MS = 500;

/** Asks, inside a commit, for the lists to be told. The row says nothing: what is told is read when it is sent. */
export function requestMirror(tx: HostTx): void {
  tx.send({ key: MIRROR, target: MIRROR, payload: null, afterMs: COALESCE_MS });
}
