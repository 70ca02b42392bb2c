import type { Invariants } from "../stage.ts";
import { ENTRY_INVARIANTS } from "./entries.ts";
import { INPUT_INVARIANTS } from "./inputs.ts";
import { requestInvariants } from "./requests.ts";
import { REST_INVARIANTS } from "./rest.ts";
import { taskInvariants } from "./tasks.ts";
import { TURN_INVARIANTS } from "./turn.ts";
import { VIEW_INVARIANTS } from "./view.ts";

/** What holds whoever takes part, for one simulation: some checks remember. Those of a feature are in its actor. */
export function coreInvariants(): readonly Invariants[] {
  return [
    INPUT_INVARIANTS,
    ENTRY_INVARIANTS,
    taskInvariants(),
    TURN_INVARIANTS,
    requestInvariants(),
    VIEW_INVARIANTS,
    REST_INVARIANTS,
  ];
}
