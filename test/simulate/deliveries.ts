import type { DeliveryOutcome } from "../../src/kernel/index.ts";
import type { VirtualClock } from "../kit/virtual-clock.ts";
import type { DeliveryPlan } from "./script.ts";

/** How a delivery goes. `lost` takes a while and then fails, as when the answer to a request never comes. */
export async function deliveryOf({ kind }: DeliveryPlan, clock: VirtualClock): Promise<DeliveryOutcome> {
  switch (kind) {
    case "sent":
      return { status: "sent" };
    case "slow":
      await clock.wait(clock.now() + 2_000, new AbortController().signal);
      return { status: "sent" };
    case "retry":
      return { status: "retry", error: "busy" };
    case "later":
      return { status: "retry", error: "not now", afterMs: 30_000 };
    case "drop":
      return { status: "drop", error: "gone" };
    case "throw":
      throw new Error("the other side hung up");
    case "hang":
      return await new Promise<never>(() => undefined);
    case "lost":
      await clock.wait(clock.now() + 2_000, new AbortController().signal);
      return { status: "retry", error: "timed out" };
  }
}
