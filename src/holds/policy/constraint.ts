import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { type HoldPerson, keptPerson } from "../record/record.ts";
import type { HoldRules } from "../rule/hold-rule.ts";

/** Standing constraints of one conversation. */
export const MAX_CONSTRAINTS = 20;

/** What somebody decided about all calls of some tools in one conversation. Plain JSON. */
export type Constraint = {
  /** The client's UUID. */
  readonly id: string;
  readonly tools: readonly string[];
  /** `ask`: every call waits for a person, whatever else would let it pass. `never`: none runs. */
  readonly effect: "ask" | "never";
  /** The person's own words. */
  readonly text: string;
  readonly by: HoldPerson;
  readonly at: number;
};

export type Constraints = readonly Constraint[];

/** What is asked for; the form of it is checked at the edge. */
export type ConstraintWish = Pick<Constraint, "id" | "tools" | "effect" | "text">;

/** Why a constraint was not set. */
export type ConstraintRefusal = { readonly code: "conflict" | "too_large" | "bad_request"; readonly message: string };

/**
 * The constraints with one more; the same ones when it was set before.
 * @param tools names of the deployment's tools.
 */
export function withConstraint(
  standing: Constraints,
  wish: ConstraintWish,
  { by, at, tools }: { readonly by: HoldPerson; readonly at: number; readonly tools: readonly string[] },
): Result<Constraints, ConstraintRefusal> {
  const { id, effect, text } = wish;
  const covered = [...new Set(wish.tools)];
  const known = standing.find((one) => one.id === id);
  if (known) return isSame(known, { ...wish, tools: covered }) ? ok(standing) : err(TAKEN);
  if (standing.length >= MAX_CONSTRAINTS) {
    const message = `This conversation has ${standing.length} standing constraints, the limit is ${MAX_CONSTRAINTS}: take one away first.`;
    return err({ code: "too_large", message });
  }
  const unknown = covered.find((name) => !tools.includes(name));
  if (unknown !== undefined) return err({ code: "bad_request", message: unknownTool(unknown, tools) });
  return ok([...standing, { id, tools: covered, effect, text, by: keptPerson(by), at }]);
}

/** The constraints without one; undefined when it is not among them. */
export function withoutConstraint(standing: Constraints, id: string): Constraints | undefined {
  const left = standing.filter((one) => one.id !== id);
  return left.length < standing.length ? left : undefined;
}

/** The constraints as rules. They come after all others: whoever describes a call better does. */
export function constraintRules(constraints: Constraints): HoldRules {
  const of = (effect: Constraint["effect"]) => constraints.filter((one) => one.effect === effect);
  return {
    deny: of("never").map(({ id, tools, text }) => ({
      id: `constraint.${id}`,
      deny: ({ tool }) =>
        tools.includes(tool) ? `a standing constraint of this conversation says: ${text}` : undefined,
    })),
    hold: of("ask").map(({ id, tools, text }) => ({
      id: `constraint.${id}`,
      describe: ({ tool }) =>
        tools.includes(tool) ? { text: `run ${tool} (standing constraint: ${text})` } : undefined,
    })),
  };
}

/** True when a constraint wants a person to be asked about every call of the tool. */
export function mustAsk(constraints: Constraints, tool: string): boolean {
  return constraints.some(({ effect, tools }) => effect === "ask" && tools.includes(tool));
}

const TAKEN: ConstraintRefusal = {
  code: "conflict",
  message: "This id stands for another constraint already: set it under a new one.",
};

function isSame(known: Constraint, { tools, effect, text }: ConstraintWish): boolean {
  return known.effect === effect && known.text === text && known.tools.join() === tools.join();
}

function unknownTool(name: string, tools: readonly string[]): string {
  const close = nearest(name, tools);
  const hint = close === undefined ? `there are ${tools.join(", ")}.` : `did you mean ${close}?`;
  return `There is no tool ${JSON.stringify(name)}: ${hint}`;
}
