import type { Store } from "../commit/store.ts";
import { KernelError } from "../errors.ts";
import type { StoragePort } from "../ports/storage.ts";
import { taskOf } from "../state/control.ts";
import { type Receipt, readReceipt } from "../storage/done.ts";

/**
 * Resolves with a task's receipt once it is finished, at once when it is. Waiting changes nothing and ending the wait ends
 * nothing else. @throws KernelError `no_such_task`; the signal's reason when it aborts.
 */
export function waitForTask(store: Store, storage: StoragePort, task: number, signal: AbortSignal): Promise<Receipt> {
  return new Promise((resolve, reject) => {
    const standing = readReceipt(storage, task);
    if (standing) return resolve(standing);
    if (!taskOf(store.control, task)) {
      return reject(new KernelError("no_such_task", `There is no task ${task}: it was never created.`));
    }
    const stop = () => {
      undo();
      signal.removeEventListener("abort", onAbort);
    };
    const onAbort = () => {
      stop();
      reject(new Error("the wait was ended", { cause: signal.reason }));
    };
    const undo = store.onCommit(() => {
      const receipt = taskOf(store.control, task) ? undefined : readReceipt(storage, task);
      if (!receipt) return;
      stop();
      resolve(receipt);
    });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
