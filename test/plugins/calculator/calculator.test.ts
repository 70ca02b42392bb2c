import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { evaluate, MAX_DEPTH, MAX_EXPRESSION_UNITS } from "../../../src/plugins/calculator/evaluate.ts";
import { calculatorPlugin } from "../../../src/plugins/calculator/plugin.ts";
import { run, toolOf, toolWorld } from "../kit/tool-context.ts";

function valueOf(expression: string): string {
  const result = evaluate(expression);
  return result.ok ? result.value : `error: ${result.error}`;
}

describe("calculate", () => {
  it.each([
    ["1 + 2 * 3", "= 7"],
    ["(1 + 2) * 3", "= 9"],
    ["2 ^ 3 ^ 2", "= 512"],
    ["-2 ^ 2", "= -4"],
    ["(-2) ^ 2", "= 4"],
    ["2 ^ -2", "= 0.25"],
    ["(-2) ^ -3", "= -0.125"],
    ["--3", "= 3"],
    ["+3 - -4", "= 7"],
    ["7 % 4", "= 3"],
    ["-7 % 4", "= -3"],
    ["5.5 % 2", "= 1.5"],
    ["10 / 4", "= 2.5"],
    ["8 − 3 × 2 ÷ 4", "= 6.5"],
    ["sqrt(16)", "= 4"],
    ["sqrt(9/16)", "= 0.75"],
    ["abs(-5)", "= 5"],
    ["round(2.5)", "= 3"],
    ["round(-2.5)", "= -3"],
    ["round(2.4)", "= 2"],
    ["floor(-1.5)", "= -2"],
    ["ceil(-1.5)", "= -1"],
    ["ceil(1.2)", "= 2"],
    ["min(3, 1, 2)", "= 1"],
    ["max(3, pi, 2)", "≈ 3.14159265358979"],
    ["log(1000)", "≈ 3"],
    ["ln(e)", "≈ 1"],
    ["sin(0)", "≈ 0"],
    ["cos(pi)", "≈ -1"],
    ["tan(0)", "≈ 0"],
    ["2 * pi", "≈ 6.28318530717959"],
    ["SQRT(4)", "= 2"],
    ["1e3 + .5", "= 1000.5"],
    ["0 ^ 0", "= 1"],
    ["1 ^ 999999999999", "= 1"],
    ["(-1) ^ 999999999999", "= -1"],
  ])("[G-4] %s %s", (expression, value) => {
    expect(valueOf(expression)).toBe(value);
  });

  it.each([
    ["0.1 + 0.2", "= 0.3"],
    ["1.1 * 1.1", "= 1.21"],
    ["9007199254740993 + 0", "= 9007199254740993"],
    ["2^100", "= 1267650600228229401496703205376"],
    ["1/3", "≈ 0.333333333333333"],
    ["1/3 * 3", "= 1"],
    ["-1/8", "= -0.125"],
    ["sqrt(2)", "≈ 1.4142135623731"],
    ["sqrt(2)^2", "≈ 2"],
    ["10^300 / 3", "≈ 3.33333333333333e+299"],
    ["-10^400 / (3 * 10^399)", "≈ -3.33333333333333"],
    ["10^-40", `= 0.${"0".repeat(39)}1`],
    ["10^-41", "≈ 1e-41"],
  ])("[G-5] %s %s", (expression, value) => {
    expect(valueOf(expression)).toBe(value);
  });

  it("[G-5] agrees with whole-number arithmetic for any integers", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
        fc.bigInt({ min: 1n, max: 10n ** 30n }),
        (a, b) => {
          expect(valueOf(`(${a}) * ${b} - (${a})`)).toBe(`= ${a * b - a}`);
          expect(valueOf(`(${a}) % ${b}`)).toBe(`= ${a % b}`);
        },
      ),
    );
  });

  it.each([
    ["1 / 0", "division by zero"],
    ["1 % 0", "division by zero"],
    ["pi / 0", "division by zero"],
    ["pi % 0", "division by zero"],
    ["0 ^ -1", "division by zero"],
    ["sqrt(-1)", "negative number"],
    ["log(0)", "log needs a number above zero"],
    ["ln(-1)", "ln needs a number above zero"],
    ["(-8) ^ 0.5", "not a real number"],
    ["pi ^ 1000", "too large"],
    ["9 ^ 9 ^ 9 ^ 9", "too large"],
    ["2 ^ 1e999", "too large"],
    ["1e1001", "too large"],
  ])("[G-6] %s is an error: %s", (expression, words) => {
    const result = evaluate(expression);
    expect(result).toMatchObject({ ok: false });
    expect(valueOf(expression)).toContain(words);
  });

  it("[G-6] 1,000 digits are given, 1,001 are an overflow", () => {
    expect(valueOf("10^999")).toBe(`= 1${"0".repeat(999)}`);
    expect(valueOf("10^1000")).toContain("more than 1,000 digits");
  });

  it("[G-7] takes 500 units and refuses 501", () => {
    const fits = `1${" ".repeat(MAX_EXPRESSION_UNITS - 3)}+1`;
    expect(fits).toHaveLength(500);
    expect(valueOf(fits)).toBe("= 2");
    expect(valueOf(`${fits} `)).toContain("has 501 characters; the limit is 500");
  });

  it.each([
    ["parentheses", (n: number) => `${"(".repeat(n)}1${")".repeat(n)}`],
    ["signs", (n: number) => `${"-".repeat(n)}1`],
    ["powers", (n: number) => `${"1^".repeat(n)}1`],
    ["functions", (n: number) => `${"abs(".repeat(n)}1${")".repeat(n)}`],
  ])("[G-7] takes 50 levels of %s and refuses 51", (_kind, nest) => {
    expect(valueOf(nest(MAX_DEPTH))).toMatch(/^= -?1$/);
    expect(valueOf(nest(MAX_DEPTH + 1))).toContain("more than 50 levels");
  });

  it.each([
    ["", "the expression is empty"],
    ["   ", "the expression is empty"],
    ["1 +", "ends where a number is expected"],
    ["(1 + 2", "the parenthesis at place 1 is not closed"],
    ["1 + 2)", 'expected an operator, found ")" at place 6'],
    ["2 3", 'expected an operator, found "3" at place 3'],
    ["* 3", 'expected a number, found "*" at place 1'],
    ["2 $ 3", 'unexpected "$" at place 3'],
    ["😀", 'unexpected "😀" at place 1'],
    ["sqr(4)", 'unknown name "sqr" at place 1: did you mean sqrt?'],
    ["process.exit()", 'unexpected "." at place 8'],
    ["eval(1)", 'unknown name "eval" at place 1'],
    ["constructor", 'unknown name "constructor" at place 1'],
    ["sqrt 4", "sqrt needs its argument in parentheses"],
    ["sqrt(1, 2)", "sqrt takes 1 argument, not 2"],
    ["max()", 'expected a number, found ")"'],
    ["1,000", 'expected an operator, found "," at place 2'],
    ["(1 2)", 'expected ")" or an operator, found "2" at place 4'],
  ])("[G-8] %j is refused: %s", (expression, words) => {
    expect(valueOf(expression)).toContain(words);
    expect(evaluate(expression).ok).toBe(false);
  });

  it("[G-8] any text at all gives a value or a sentence, never an exception", () => {
    const piece = fc.constantFrom(
      "1",
      "2.5",
      "+",
      "-",
      "*",
      "/",
      "%",
      "^",
      "(",
      ")",
      ",",
      "pi",
      "sqrt(",
      "x",
      " ",
      "9e9",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((parts) => parts.join("")),
        ),
        (text) => {
          const value = valueOf(text);
          expect(value).toMatch(/^(= -?[0-9.]+|≈ -?[0-9.e+-]+|error: .+\.)$/s);
        },
      ),
    );
  });

  it("[G-4] [G-8] the tool repeats the expression with its value, and marks an error", async () => {
    const tool = toolOf(calculatorPlugin, "calculate");
    const context = toolWorld().context();
    expect(await run(tool, { expression: " 6 * 7 " }, context)).toEqual({ text: "6 * 7 = 42" });
    expect(await run(tool, { expression: "6 *" }, context)).toMatchObject({ isError: true, code: "bad_expression" });
  });
});
