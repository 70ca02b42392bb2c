import type { Actor } from "../stage.ts";
import { GATEKEEPER, type GatekeeperStep } from "./gatekeeper.ts";
import { HISTORIAN, type HistorianStep } from "./historian.ts";
import { JOBS, type JobsStep } from "./jobs.ts";
import { PEOPLE, type PeopleStep } from "./people.ts";
import { PLATFORM, type PlatformStep } from "./platform.ts";
import { PLUGIN, type PluginStep } from "./plugin.ts";
import { SUMMARISER, type SummariserStep } from "./summariser.ts";
import { TIME, type TimeStep } from "./time.ts";
import { TOOLS } from "./tools.ts";
import { WATCHER } from "./watcher.ts";
import { WRITER, type WriterStep } from "./writer.ts";

/** Every step that a script may hold. */
export type AnyStep =
  | GatekeeperStep
  | HistorianStep
  | JobsStep
  | PeopleStep
  | PlatformStep
  | PluginStep
  | SummariserStep
  | TimeStep
  | WriterStep;

/** Everybody who takes part. Code registers in this order. */
export const ACTORS = [
  PEOPLE,
  TIME,
  PLATFORM,
  TOOLS,
  GATEKEEPER,
  PLUGIN,
  HISTORIAN,
  JOBS,
  WATCHER,
  WRITER,
  SUMMARISER,
] as readonly Actor<AnyStep>[];
