import { must } from "../../lib/assert.ts";
import { nearest } from "../../lib/nearest.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { CalculationError } from "./error.ts";
import { formatValue } from "./format.ts";
import { CONSTANTS, callFunction, FUNCTION_NAMES } from "./functions.ts";
import { apply, exact, MAX_DIGITS, type Operator, type Value } from "./number.ts";
import { type Token, tokenize } from "./tokens.ts";

/** UTF-16 units of an expression. */
export const MAX_EXPRESSION_UNITS = 500;
/** Parentheses, signs and powers inside one another. */
export const MAX_DEPTH = 50;

/**
 * The value of an expression as text, `= 42` when exact and `≈ 1.41421356237310` when rounded; or a sentence that says
 * what is wrong with it and where.
 */
export function evaluate(expression: string): Result<string, string> {
  if (expression.length > MAX_EXPRESSION_UNITS) {
    return err(`The expression has ${expression.length} characters; the limit is ${MAX_EXPRESSION_UNITS}. Split it.`);
  }
  try {
    return ok(formatValue(new Parser(tokenize(expression)).parse()));
  } catch (error) {
    if (error instanceof CalculationError) return err(`Cannot calculate: ${error.message}.`);
    throw error;
  }
}

/** Recursive descent: sum → product → signed → power → primary. Evaluates while it reads. */
class Parser {
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Value {
    if (this.#tokens.length === 0) throw new CalculationError("the expression is empty");
    const value = this.#sum();
    const rest = this.#peek();
    if (rest !== undefined) throw new CalculationError(`expected an operator, found ${describe(rest)}`);
    return value;
  }

  #sum(): Value {
    let value = this.#product();
    for (let op = this.#takeOperator("+", "-"); op !== undefined; op = this.#takeOperator("+", "-")) {
      value = apply(op, value, this.#product());
    }
    return value;
  }

  #product(): Value {
    let value = this.#signed();
    for (let op = this.#takeOperator("*", "/", "%"); op !== undefined; op = this.#takeOperator("*", "/", "%")) {
      value = apply(op, value, this.#signed());
    }
    return value;
  }

  #signed(): Value {
    const sign = this.#takeOperator("+", "-");
    if (sign === undefined) return this.#power();
    const value = this.#nested(() => this.#signed());
    return sign === "-" ? apply("-", exact(0n), value) : value;
  }

  #power(): Value {
    const base = this.#primary();
    if (this.#takeOperator("^") === undefined) return base;
    return apply(
      "^",
      base,
      this.#nested(() => this.#signed()),
    );
  }

  #primary(): Value {
    const token = this.#peek();
    if (token === undefined) throw new CalculationError("the expression ends where a number is expected");
    this.#index++;
    if (token.kind === "number") return readNumber(token.text);
    if (token.kind === "name") return this.#named(token);
    if (token.text !== "(") throw new CalculationError(`expected a number, found ${describe(token)}`);
    const value = this.#nested(() => this.#sum());
    this.#expectClose(token);
    return value;
  }

  #named(token: Token): Value {
    const name = token.text.toLowerCase();
    const constant = CONSTANTS.get(name);
    if (constant !== undefined) return constant;
    if (!FUNCTION_NAMES.includes(name)) throw unknownName(token);
    const open = this.#peek();
    if (open?.text !== "(") throw new CalculationError(`${name} needs its argument in parentheses, as in ${name}(2)`);
    this.#index++;
    const args = this.#nested(() => this.#arguments());
    this.#expectClose(open);
    return callFunction(name, args);
  }

  #arguments(): readonly Value[] {
    const args = [this.#sum()];
    while (this.#peek()?.text === ",") {
      this.#index++;
      args.push(this.#sum());
    }
    return args;
  }

  #expectClose(open: Token): void {
    const token = this.#peek();
    if (token === undefined) throw new CalculationError(`the parenthesis at place ${open.at} is not closed`);
    if (token.text !== ")") throw new CalculationError(`expected ")" or an operator, found ${describe(token)}`);
    this.#index++;
  }

  #nested<T>(read: () => T): T {
    if (this.#depth === MAX_DEPTH) throw new CalculationError(`more than ${MAX_DEPTH} levels inside one another`);
    this.#depth++;
    const value = read();
    this.#depth--;
    return value;
  }

  #takeOperator<T extends Operator>(...wanted: readonly T[]): T | undefined {
    const token = this.#peek();
    const found = token?.kind === "operator" ? wanted.find((operator) => operator === token.text) : undefined;
    if (found !== undefined) this.#index++;
    return found;
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#index];
  }
}

function readNumber(text: string): Value {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const shift = Number(exponent) - fraction.length;
  if (Math.abs(shift) > MAX_DIGITS) throw new CalculationError(`the number ${text} is too large or too small`);
  const digits = BigInt(must(`${whole}${fraction}`, "a number has digits"));
  return shift < 0 ? exact(digits, 10n ** BigInt(-shift)) : exact(digits * 10n ** BigInt(shift));
}

function unknownName(token: Token): CalculationError {
  const guess = nearest(token.text, [...FUNCTION_NAMES, ...CONSTANTS.keys()]);
  const hint = guess === undefined ? `known are ${FUNCTION_NAMES.join(", ")}, pi and e` : `did you mean ${guess}?`;
  return new CalculationError(`unknown name ${describe(token)}: ${hint}`);
}

function describe(token: Token): string {
  return `${JSON.stringify(token.text)} at place ${token.at}`;
}
