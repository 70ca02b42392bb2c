import * as z from "zod";
import { defineTool, type ToolResult } from "../../kernel/index.ts";
import type { Plugin } from "../plugin.ts";
import { formatTime } from "./format-time.ts";
import { isZone, nearestZone } from "./zones.ts";

const MAX_ZONE_UNITS = 64;

/**
 * The current time.
 * @param options `timeZone` is the zone used when a call names none.
 * @throws when the runtime does not know `timeZone`.
 */
export function createClockPlugin(options: { readonly timeZone: string }): Plugin {
  if (!isZone(options.timeZone)) throw new Error(`timeZone in althing.config.ts: ${unknownZone(options.timeZone)}`);
  const currentTime = defineTool({
    name: "current_time",
    description: `Tells the current date and time in a time zone, or in ${options.timeZone} when none is given.`,
    input: z.strictObject({
      zone: z.exactOptional(
        z.string().min(1).max(MAX_ZONE_UNITS).describe('An IANA time zone, for example "Europe/Berlin".'),
      ),
    }),
    replay: "safe",
    async execute({ zone }, context): Promise<ToolResult> {
      const chosen = zone ?? options.timeZone;
      if (!isZone(chosen)) return { text: unknownZone(chosen), isError: true, code: "unknown_zone" };
      return { text: formatTime(context.now(), chosen) };
    },
  });
  return { name: "clock", tools: [currentTime] };
}

function unknownZone(zone: string): string {
  const guess = nearestZone(zone);
  const remedy = guess === undefined ? 'Use an IANA name such as "Europe/Berlin".' : `Did you mean "${guess}"?`;
  return `${JSON.stringify(zone)} is not a known time zone. ${remedy}`;
}
