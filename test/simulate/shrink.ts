import type { AnyStep } from "./actors/index.ts";
import type { AnswerPlan, DeliveryPlan, HookPlan, HostPlan, PagePlan, Script, ToolPlan } from "./script.ts";

type AnyScript = Script<AnyStep>;
/** Whether a script still shows what is looked for. */
type Fails = (script: AnyScript) => Promise<boolean>;

const PLAIN: {
  readonly answers: AnswerPlan;
  readonly tools: ToolPlan;
  readonly deliveries: DeliveryPlan;
  readonly hooks: HookPlan;
  readonly hosts: HostPlan;
  readonly pages: PagePlan;
} = {
  answers: { kind: "text" },
  tools: { kind: "ok" },
  deliveries: { kind: "sent" },
  hooks: { kind: "pass" },
  hosts: { kind: "ok" },
  pages: { kind: "ok" },
};

/**
 * The smallest script found that still fails: no step, crash, fault or plan of it can be left out alone.
 * @param fails runs a script; it is asked some hundred times.
 */
export async function shrink(script: AnyScript, fails: Fails): Promise<AnyScript> {
  let best = script;
  for (;;) {
    const smaller = await shrinkOnce(best, fails);
    if (JSON.stringify(smaller) === JSON.stringify(best)) return best;
    best = smaller;
  }
}

async function shrinkOnce(script: AnyScript, fails: Fails): Promise<AnyScript> {
  let best = await dropSteps(script, fails);
  best = await calmSteps(best, fails);
  best = await simplify(best, "answers", fails);
  best = await simplify(best, "tools", fails);
  best = await simplify(best, "deliveries", fails);
  best = await simplify(best, "hooks", fails);
  best = await simplify(best, "hosts", fails);
  best = await simplify(best, "pages", fails);
  for (const key of ["window", "fork"] as const) {
    const without = { ...best, [key]: null };
    if (best[key] !== null && (await fails(without))) best = without;
  }
  return best;
}

/** Leaves out stretches of steps, half of them first, single ones last. */
async function dropSteps(script: AnyScript, fails: Fails): Promise<AnyScript> {
  let { steps } = script;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < steps.length; ) {
      const fewer = [...steps.slice(0, at), ...steps.slice(at + size)];
      if (await fails({ ...script, steps: fewer })) steps = fewer;
      else at += size;
    }
  }
  return { ...script, steps };
}

/** Takes crashes and faults away from the steps that do not need them. */
async function calmSteps(script: AnyScript, fails: Fails): Promise<AnyScript> {
  let { steps } = script;
  for (const key of ["dies", "fails"] as const) {
    for (const at of steps.keys()) {
      const step = steps[at];
      if (step?.[key] === undefined) continue;
      const { [key]: _gone, ...calm } = step;
      const calmer = steps.with(at, calm);
      if (await fails({ ...script, steps: calmer })) steps = calmer;
    }
  }
  return { ...script, steps };
}

/** Leaves plans out, or makes them the plainest there is. */
async function simplify(script: AnyScript, key: keyof typeof PLAIN, fails: Fails): Promise<AnyScript> {
  let best = script;
  const plain = PLAIN[key];
  const isFailing = async (plans: readonly unknown[]) => {
    const candidate = { ...best, [key]: plans } as AnyScript;
    if (!(await fails(candidate))) return false;
    best = candidate;
    return true;
  };
  if (isPlain(best[key], plain) || (await isFailing([plain]))) return best;
  for (let at = best[key].length - 1; at >= 0 && best[key].length > 1; at--) {
    await isFailing((best[key] as readonly unknown[]).toSpliced(at, 1));
  }
  for (const at of best[key].keys()) {
    if (!isPlain([best[key][at]], plain)) await isFailing((best[key] as readonly unknown[]).with(at, plain));
  }
  return best;
}

function isPlain(plans: readonly unknown[], plain: unknown): boolean {
  return plans.length === 1 && JSON.stringify(plans[0]) === JSON.stringify(plain);
}
