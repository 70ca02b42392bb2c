import { describe, expect, it } from "vitest";
import { clockPlugin } from "../../../src/plugins/clock/plugin.ts";
import { checkConfig } from "../../../src/protocol/check-config.ts";
import { run, setUp, toolOf, toolWorld } from "../kit/tool-context.ts";

const tool = toolOf(clockPlugin, "current_time", { config: checkConfig({ timeZone: "Europe/Berlin" }) });
const ask = (input: { zone?: string }) => run(tool, input, toolWorld().context());

describe("current_time", () => {
  it("[G-1] answers in the deployment's zone when none is named", async () => {
    expect(await ask({})).toEqual({
      text: "Saturday, 29 November 2025, 12:55:03 in Europe/Berlin (UTC+01:00), 2025-11-29T12:55:03+01:00",
    });
  });

  it.each([
    ["Asia/Tokyo", "Saturday, 29 November 2025, 20:55:03 in Asia/Tokyo (UTC+09:00), 2025-11-29T20:55:03+09:00"],
    ["UTC", "Saturday, 29 November 2025, 11:55:03 in UTC (UTC+00:00), 2025-11-29T11:55:03+00:00"],
    ["Asia/Kathmandu", "Saturday, 29 November 2025, 17:40:03 in Asia/Kathmandu (UTC+05:45), 2025-11-29T17:40:03+05:45"],
    [
      "Pacific/Kiritimati",
      "Sunday, 30 November 2025, 01:55:03 in Pacific/Kiritimati (UTC+14:00), 2025-11-30T01:55:03+14:00",
    ],
    [
      "America/New_York",
      "Saturday, 29 November 2025, 06:55:03 in America/New_York (UTC-05:00), 2025-11-29T06:55:03-05:00",
    ],
  ])("[G-1] answers in %s", async (zone, text) => {
    expect(await ask({ zone })).toEqual({ text });
  });

  it("[G-1] writes midnight as 00", async () => {
    const world = toolWorld();
    world.now = Date.UTC(2026, 0, 1);
    const result = await run(tool, { zone: "UTC" }, world.context());
    expect(result.text).toBe("Thursday, 1 January 2026, 00:00:00 in UTC (UTC+00:00), 2026-01-01T00:00:00+00:00");
  });

  it.each([
    ["Europe/Berln", "Europe/Berlin"],
    ["Tokyo", "Asia/Tokyo"],
    ["new york", "America/New_York"],
    ["Toky", "Asia/Tokyo"],
  ])("[G-2] %s is an error that names %s", async (zone, expected) => {
    const result = await ask({ zone });
    expect(result).toMatchObject({ isError: true, code: "unknown_zone" });
    expect(result.text).toBe(`"${zone}" is not a known time zone. Did you mean "${expected}"?`);
  });

  it("[G-2] a name like no zone gets an example instead of a guess", async () => {
    const result = await ask({ zone: "the far side of the moon" });
    expect(result).toMatchObject({ isError: true, code: "unknown_zone" });
    expect(result.text).toContain('Use an IANA name such as "Europe/Berlin".');
  });

  it("[G-3] an unknown zone in the configuration is refused at start", () => {
    expect(() => setUp(clockPlugin, { config: { ...checkConfig({}), timeZone: "Europe/Berln" } })).toThrow(
      'Did you mean "Europe/Berlin"?',
    );
  });
});
