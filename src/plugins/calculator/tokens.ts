import { CalculationError } from "./error.ts";
import type { Operator } from "./number.ts";

/** `at` is the place in the expression, counted from 1. */
export type Token =
  | { readonly kind: "number"; readonly text: string; readonly at: number }
  | { readonly kind: "name"; readonly text: string; readonly at: number }
  | { readonly kind: "operator"; readonly text: Operator; readonly at: number }
  | { readonly kind: "mark"; readonly text: "(" | ")" | ","; readonly at: number };

const SPACE = /\s*/y;
const NUMBER = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[a-z]+/iy;
const ALIASES: Readonly<Record<string, Operator>> = { "×": "*", "·": "*", "÷": "/", "−": "-", "–": "-" };

/** @throws CalculationError naming the place of a character that belongs to no expression. */
export function tokenize(expression: string): readonly Token[] {
  const tokens: Token[] = [];
  let index = match(SPACE, expression, 0).length;
  while (index < expression.length) {
    const token = readToken(expression, index);
    tokens.push(token);
    index += token.text.length;
    index += match(SPACE, expression, index).length;
  }
  return tokens;
}

function readToken(expression: string, index: number): Token {
  const at = index + 1;
  const number = match(NUMBER, expression, index);
  if (number !== "") return { kind: "number", text: number, at };
  const name = match(NAME, expression, index);
  if (name !== "") return { kind: "name", text: name, at };
  const char = String.fromCodePoint(expression.codePointAt(index) ?? 0);
  const operator = Object.hasOwn(ALIASES, char) ? ALIASES[char] : char;
  switch (operator) {
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "^":
      return { kind: "operator", text: operator, at };
    case "(":
    case ")":
    case ",":
      return { kind: "mark", text: operator, at };
    default:
      throw new CalculationError(`unexpected ${JSON.stringify(char)} at place ${at}`);
  }
}

function match(pattern: RegExp, text: string, index: number): string {
  pattern.lastIndex = index;
  return pattern.exec(text)?.[0] ?? "";
}
