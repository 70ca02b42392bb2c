import { MARK_RESTORED } from "../../scripts/backup/mark-restored.ts";
import { Kernel } from "../../src/kernel/index.ts";
import type { KernelWorld } from "./kernel-world.ts";

/** Does to what a dead process left what restoring a backup of it does. The alarm is not part of a backup. */
export function putBack({ storage, alarm, clock }: KernelWorld): void {
  if (!Kernel.exists({ storage })) return;
  storage.sql.exec(MARK_RESTORED, clock.now());
  alarm.delete();
}
