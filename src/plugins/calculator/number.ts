import { unreachable } from "../../lib/assert.ts";
import { CalculationError } from "./error.ts";

/** A fraction in lowest terms with a positive denominator, or a double where exactness has ended. */
export type Value =
  | { readonly kind: "exact"; readonly n: bigint; readonly d: bigint }
  | { readonly kind: "approx"; readonly x: number };

/** Digits that a numerator or denominator may have. */
export const MAX_DIGITS = 1_000;

const LIMIT = 10n ** BigInt(MAX_DIGITS);

/** @throws CalculationError when the denominator is zero or a part has more than {@link MAX_DIGITS} digits. */
export function exact(n: bigint, d = 1n): Value {
  if (d === 0n) throw new CalculationError("division by zero");
  const divisor = gcd(abs(n), abs(d)) * (d < 0n ? -1n : 1n);
  const value = { kind: "exact", n: n / divisor, d: d / divisor } as const;
  if (value.n >= LIMIT || value.n <= -LIMIT || value.d >= LIMIT) throw overflow();
  return value;
}

/** @throws CalculationError when the number is not finite. */
export function approx(x: number): Value {
  if (Number.isNaN(x)) throw new CalculationError("the result is not a real number");
  if (!Number.isFinite(x)) throw new CalculationError("the result is too large (above 1.8e308)");
  return { kind: "approx", x };
}

export function toNumber(value: Value): number {
  if (value.kind === "approx") return value.x;
  const excess = BigInt(Math.max(0, bits(value.n) - 1_000, bits(value.d) - 1_000));
  const size = Number(abs(value.n) >> excess) / Number(value.d >> excess);
  return value.n < 0n ? -size : size;
}

export type Operator = "+" | "-" | "*" | "/" | "%" | "^";

/** Exact as long as both sides are; `%` has the sign of its left side. */
export function apply(operator: Operator, a: Value, b: Value): Value {
  if (operator === "^") return power(a, b);
  if (a.kind === "exact" && b.kind === "exact") return applyExact(operator, a, b);
  const x = toNumber(a);
  const y = toNumber(b);
  switch (operator) {
    case "+":
      return approx(x + y);
    case "-":
      return approx(x - y);
    case "*":
      return approx(x * y);
    case "/":
      return approx(x / nonZero(y));
    case "%":
      return approx(x % nonZero(y));
    default:
      return unreachable(operator);
  }
}

type Exact = Extract<Value, { kind: "exact" }>;

function applyExact(operator: Exclude<Operator, "^">, a: Exact, b: Exact): Value {
  switch (operator) {
    case "+":
      return exact(a.n * b.d + b.n * a.d, a.d * b.d);
    case "-":
      return exact(a.n * b.d - b.n * a.d, a.d * b.d);
    case "*":
      return exact(a.n * b.n, a.d * b.d);
    case "/":
      return exact(a.n * b.d, a.d * b.n);
    case "%":
      if (b.n === 0n) throw new CalculationError("division by zero");
      return exact((a.n * b.d) % (b.n * a.d), a.d * b.d);
    default:
      return unreachable(operator);
  }
}

function power(a: Value, b: Value): Value {
  if (a.kind === "exact" && b.kind === "exact" && b.d === 1n) return exactPower(a, b.n);
  const base = toNumber(a);
  if (base === 0 && toNumber(b) < 0) throw new CalculationError("division by zero");
  return approx(base ** toNumber(b));
}

function exactPower(a: Exact, exponent: bigint): Value {
  if (exponent < 0n) {
    if (a.n === 0n) throw new CalculationError("division by zero");
    return exactPower(a.n < 0n ? { ...a, n: -a.d, d: -a.n } : { ...a, n: a.d, d: a.n }, -exponent);
  }
  if (a.d === 1n && (a.n === 0n || a.n === 1n)) return exponent === 0n ? exact(1n) : a;
  if (a.d === 1n && a.n === -1n) return exact(exponent % 2n === 0n ? 1n : -1n);
  // A base of k bits raised to e has more than (k - 1) * e bits: refuse before computing what would not fit anyway.
  const growth = BigInt(Math.max(bits(a.n), bits(a.d)) - 1) * exponent;
  if (growth > BigInt(bits(LIMIT))) throw overflow();
  return exact(a.n ** exponent, a.d ** exponent);
}

/** Less than zero, zero, or more than zero, as `a` is below, at or above `b`. */
export function compare(a: Value, b: Value): number {
  if (a.kind === "approx" || b.kind === "approx") return toNumber(a) - toNumber(b);
  const difference = a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The exact square root of a whole number, or undefined when there is none. */
export function wholeRoot(n: bigint): bigint | undefined {
  if (n < 2n) return n;
  let root = 1n << BigInt(Math.ceil(bits(n) / 2));
  for (;;) {
    const next = (root + n / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return root * root === n ? root : undefined;
}

function nonZero(y: number): number {
  if (y === 0) throw new CalculationError("division by zero");
  return y;
}

function overflow(): CalculationError {
  return new CalculationError(`the result is too large (more than ${MAX_DIGITS.toLocaleString("en")} digits)`);
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x === 0n ? 1n : x;
}

function abs(n: bigint): bigint {
  return n < 0n ? -n : n;
}

function bits(n: bigint): number {
  return n === 0n ? 0 : abs(n).toString(2).length;
}
