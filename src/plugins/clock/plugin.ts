import * as z from "zod";
import { definePlugin } from "../../host/index.ts";
import { defineTool, type Tool, type ToolResult } from "../../kernel/index.ts";
import { formatTime } from "./format-time.ts";
import { isZone, nearestZone } from "./zones.ts";

const MAX_ZONE_UNITS = 64;

/** The current time, in the operator's time zone when a call names none. Refuses a zone that the runtime does not know. */
export const clockPlugin = definePlugin({
  name: "clock",
  setup: ({ config }) => ({ tools: [{ tool: currentTime(config.timeZone), tier: "member" }] }),
});

function currentTime(timeZone: string): Tool {
  if (!isZone(timeZone)) throw new Error(`timeZone in althing.config.ts: ${unknownZone(timeZone)}`);
  return defineTool({
    name: "current_time",
    description: `Tells the current date and time in a time zone, or in ${timeZone} when none is given.`,
    input: z.strictObject({
      zone: z.exactOptional(
        z.string().min(1).max(MAX_ZONE_UNITS).describe('An IANA time zone, for example "Europe/Berlin".'),
      ),
    }),
    replay: "safe",
    async execute({ zone }, context): Promise<ToolResult> {
      const chosen = zone ?? timeZone;
      if (!isZone(chosen)) return { text: unknownZone(chosen), isError: true, code: "unknown_zone" };
      return { text: formatTime(context.now(), chosen) };
    },
  });
}

function unknownZone(zone: string): string {
  const guess = nearestZone(zone);
  const remedy = guess === undefined ? 'Use an IANA name such as "Europe/Berlin".' : `Did you mean "${guess}"?`;
  return `${JSON.stringify(zone)} is not a known time zone. ${remedy}`;
}
