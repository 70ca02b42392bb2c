import { expect } from "vitest";
import type { KernelWorld } from "../kit/kernel-world.ts";
import { EffectServer, play, type Scenario } from "../kit/scenarios.ts";
import { type Line, transcript } from "../kit/transcript.ts";
import type { WorldOptions } from "../kit/world-options.ts";

/** A scenario played to its end, over all deaths. */
export interface Played {
  readonly world: KernelWorld;
  readonly server: EffectServer;
  readonly lines: readonly Line[];
}

/** Plays a scenario in a world that dies at these points. */
export async function playCut(
  scenario: Scenario,
  killAt: readonly number[],
  makeWorld: (options: WorldOptions) => KernelWorld,
): Promise<Played> {
  const server = new EffectServer();
  const world = makeWorld({ ...scenario.options(server), killAt });
  await play(scenario, world, server);
  return { world, server, lines: transcript(world) };
}

/** Says where a run with deaths differs from the run without, allowing `unknown` where an unsafe call was cut. */
export function expectSame(lines: readonly Line[], expected: readonly Line[], where: string): void {
  const comparable = lines.map((line, i) => {
    const other = expected[i];
    const wasCut =
      line.tool === "send" && line.outcome === "unknown" && other?.tool === "send" && other.outcome === "ok";
    const wasCutLater = line.kind === "core.notice" && line.text.includes("send that was waiting was interrupted");
    return wasCut || (wasCutLater && other?.kind === line.kind) ? other : line;
  });
  expect(comparable, where).toEqual(expected);
}

/** Nothing is stuck, stranded or armed, and no call had its effect twice. */
export function expectAtRest({ world, server }: Played, where: string): void {
  expect(world.control.turn, `${where}: no turn is stuck`).toBeNull();
  expect(world.control.inbox, `${where}: nothing is stranded`).toEqual([]);
  expect(Object.values(world.control.tasks), `${where}: no task is left`).toEqual([]);
  expect(world.alarm.armedFor, `${where}: an idle conversation has no alarm`).toBeNull();
  const twice = [...server.calls].filter(([key, count]) => count > 1 && !key.startsWith("lookup:"));
  expect(server.complaints, where).toEqual([]);
  expect(twice, `${where}: calls that had their effect twice`).toEqual([]);
}
