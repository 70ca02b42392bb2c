import type { Json } from "../../lib/json.ts";
import type { Checkpoint } from "../state/task.ts";

/** What creating a task needs of its kind. The string names stored state; this object is the authority: it must be the live one. */
export interface TaskToken<I extends Json = Json> {
  readonly kind: string;
  initial(input: I): Checkpoint;
}
