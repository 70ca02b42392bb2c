import { must } from "../../lib/assert.ts";
import { CalculationError } from "./error.ts";
import { approx, compare, exact, toNumber, type Value, wholeRoot } from "./number.ts";

export const CONSTANTS: ReadonlyMap<string, Value> = new Map([
  ["pi", approx(Math.PI)],
  ["e", approx(Math.E)],
]);

interface Callable {
  /** How many arguments it takes; `many`: one or more. */
  readonly takes: 1 | "many";
  readonly call: (args: readonly Value[]) => Value;
}

/** Angles are radians; `log` is base 10, `ln` base e; `round` takes halves away from zero. */
const FUNCTIONS: ReadonlyMap<string, Callable> = new Map<string, Callable>([
  ["sqrt", one(squareRoot)],
  ["abs", one((v) => (v.kind === "exact" ? exact(v.n < 0n ? -v.n : v.n, v.d) : approx(Math.abs(v.x))))],
  [
    "round",
    one((v) => (v.kind === "exact" ? roundHalf(v.n, v.d) : approx(Math.sign(v.x) * Math.round(Math.abs(v.x))))),
  ],
  ["floor", one((v) => (v.kind === "exact" ? exact(floorDivide(v.n, v.d)) : approx(Math.floor(v.x))))],
  ["ceil", one((v) => (v.kind === "exact" ? exact(-floorDivide(-v.n, v.d)) : approx(Math.ceil(v.x))))],
  ["min", { takes: "many", call: (args) => pick(args, (a, b) => compare(a, b) < 0) }],
  ["max", { takes: "many", call: (args) => pick(args, (a, b) => compare(a, b) > 0) }],
  ["log", one((v) => approx(Math.log10(positive("log", v))))],
  ["ln", one((v) => approx(Math.log(positive("ln", v))))],
  ["sin", one((v) => approx(Math.sin(toNumber(v))))],
  ["cos", one((v) => approx(Math.cos(toNumber(v))))],
  ["tan", one((v) => approx(Math.tan(toNumber(v))))],
]);

export const FUNCTION_NAMES: readonly string[] = [...FUNCTIONS.keys()];

/** @throws CalculationError for a wrong number of arguments or one outside the function's range. */
export function callFunction(name: string, args: readonly Value[]): Value {
  const callable = must(FUNCTIONS.get(name), `the parser accepted the function ${name}`);
  if (callable.takes === 1 && args.length !== 1) {
    throw new CalculationError(`${name} takes 1 argument, not ${args.length}`);
  }
  return callable.call(args);
}

function one(call: (value: Value) => Value): Callable {
  return { takes: 1, call: (args) => call(must(args[0], "the number of arguments was checked")) };
}

function squareRoot(value: Value): Value {
  const x = toNumber(value);
  if (x < 0) throw new CalculationError("the square root of a negative number is not a real number");
  if (value.kind === "approx") return approx(Math.sqrt(x));
  const n = wholeRoot(value.n);
  const d = wholeRoot(value.d);
  return n !== undefined && d !== undefined ? exact(n, d) : approx(Math.sqrt(x));
}

function positive(name: string, value: Value): number {
  const x = toNumber(value);
  if (x <= 0) throw new CalculationError(`${name} needs a number above zero`);
  return x;
}

function roundHalf(n: bigint, d: bigint): Value {
  const size = floorDivide(2n * (n < 0n ? -n : n) + d, 2n * d);
  return exact(n < 0n ? -size : size);
}

function floorDivide(n: bigint, d: bigint): bigint {
  const quotient = n / d;
  return n % d < 0n ? quotient - 1n : quotient;
}

function pick(args: readonly Value[], better: (a: Value, b: Value) => boolean): Value {
  return args.reduce((best, value) => (better(value, best) ? value : best));
}
