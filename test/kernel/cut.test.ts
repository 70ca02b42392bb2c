import { HISTORY_SCENARIOS } from "../kit/history-scenarios.ts";
import { SCENARIOS } from "../kit/scenarios.ts";
import { describeCuts } from "./describe-cuts.ts";

describeCuts([...SCENARIOS, ...HISTORY_SCENARIOS]);
