import { env } from "cloudflare:test";
import { afterEach, describe, expect, it } from "vitest";
import { ROUTES } from "../../../src/routes/table.ts";
import { tryCalls, tryMaking } from "../../crawl/call-crawl.workers.ts";
import { CALLS, MAKING, ON_BEHALF } from "../../crawl/calls.workers.ts";
import { tryRefused } from "../../crawl/crawl.workers.ts";
import { DOORS } from "../../crawl/doors.workers.ts";
import { LOSSES, tryAfterLoss } from "../../crawl/frames.workers.ts";
import { makeScene, type Scene } from "../../crawl/scene.workers.ts";
import { storedEverywhere } from "../../crawl/stored.workers.ts";
import { restoreClock } from "../../kit/wall-clock.ts";

interface Probe {
  readonly name: string;
  readonly run: (scene: Scene) => AsyncIterable<string>;
}

const PROBES: readonly Probe[] = [
  ...ROUTES.flatMap((route) =>
    (DOORS[`${route.method} ${route.path}`] ?? []).map((door, nth) => ({
      name: `${route.method} ${route.path} ${nth + 1} (${door.for})`,
      run: (scene: Scene) => tryRefused(scene, route, door),
    })),
  ),
  ...Object.entries(CALLS).flatMap(([name, list]) =>
    list.map((call, nth) => ({
      name: `call of ${name} ${nth + 1}`,
      run: (scene: Scene) => tryCalls(scene, call, "worker"),
    })),
  ),
  ...Object.entries(ON_BEHALF).map(([name, call]) => ({
    name: `call of ${name}`,
    run: (scene: Scene) => tryCalls(scene, call, "object"),
  })),
  ...Object.entries(MAKING).map(([name, call]) => ({
    name: `call of ${name}`,
    run: (scene: Scene) => tryMaking(scene, call),
  })),
  ...LOSSES.map((loss) => ({
    name: `frames of somebody ${loss.name}`,
    run: (scene: Scene) => tryAfterLoss(scene, loss),
  })),
];

const mutants = (env as unknown as { readonly MUTANTS: readonly { readonly name: string; readonly hint: string }[] })
  .MUTANTS;

/** Whom a mutant asks lets everybody do everything. */
function lettingAllPass<T extends { life?: () => unknown }>(judge: T): T {
  const enter = async () => {
    const value = judge.life?.();
    return value === undefined ? { ok: false, error: { code: "not_found", message: "nothing" } } : { ok: true, value };
  };
  const findOrMake = async (_caller: unknown, _action: unknown, make: () => unknown) => {
    const life = judge.life?.();
    return { ok: true, value: { life: life ?? make(), isNew: life === undefined } };
  };
  const instead = {
    enter,
    findOrMake,
    enterAt: () => ({ ok: true, value: judge.life?.() }),
    enterOnBehalf: enter,
    may: async () => ({ ok: true }),
    mayOnBehalf: async () => ({ ok: true }),
  };
  return new Proxy(judge, {
    get(target, key) {
      if (typeof key === "string" && Object.hasOwn(instead, key)) return Reflect.get(instead, key) as unknown;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
Object.assign(globalThis, { lettingAllPass });

/** One that nothing was written to is used again, as long as its room waits. */
let last: { readonly scene: Scene; readonly stored: string; readonly until: number } | undefined;
const MAX_SCENE_MS = 60_000;

async function sceneFor(): Promise<Scene> {
  if (last && performance.now() < last.until && last.stored === (await textOf(last.scene))) return last.scene;
  const scene = await makeScene();
  last = { scene, stored: await textOf(scene), until: performance.now() + MAX_SCENE_MS };
  return scene;
}

const textOf = async (scene: Scene) => JSON.stringify(await storedEverywhere(scene));

async function hunt(hint: string): Promise<string | undefined> {
  const scene = await sceneFor();
  Object.assign(globalThis, { mutant: expect.getState().currentTestName?.split(" > ").at(-1) });
  const isLikely = ({ name }: Probe) => name.includes(hint);
  for (const probe of [...PROBES.filter(isLikely), ...PROBES.filter((probe) => !isLikely(probe))]) {
    try {
      for await (const fault of probe.run(scene)) return `${probe.name}: ${fault}`;
    } catch (error) {
      return `${probe.name}: ${String(error)}`;
    }
  }
  return undefined;
}

afterEach(() => {
  Object.assign(globalThis, { mutant: undefined });
  restoreClock();
});

describe("without one check of who may do what, the crawl sees it", () => {
  it.each(mutants.map(({ name, hint }) => [name, hint] as const))("%s", async (_name, hint) => {
    const fault = await hunt(hint);
    expect(fault).toBeDefined();
  });
});
