/** Words of arithmetic and the signs that they mean, in the order of replacement. */
const WORDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/(\d),(?=\d{3}\b)/g, "$1"],
  [/\b(?:the\s+)?square root of\s+(\d+(?:\.\d+)?|pi\b)/gi, "sqrt($1)"],
  [/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+(\d+(?:\.\d+)?)/gi, "($1/100)*$2"],
  [/\s*\bto the power(?: of)?\s+/gi, "^"],
  [/\s+squared\b/gi, "^2"],
  [/\s+cubed\b/gi, "^3"],
  [/\s+plus\s+/gi, " + "],
  [/\s+minus\s+/gi, " - "],
  [/\s+(?:times|multiplied by)\s+/gi, " * "],
  [/\s+divided by\s+/gi, " / "],
  [/\s+(?:modulo|mod)\s+/gi, " % "],
  [/(?<=[\d)])\s*x\s*(?=[\d(])/gi, " * "],
  [/[×·]/g, "*"],
  [/÷/g, "/"],
  [/[−–]/g, "-"],
  [/\*\*/g, "^"],
];

const FUNCTION = "(?:sqrt|abs|round|floor|ceil|min|max|log|ln|sin|cos|tan)\\s*\\(";
const NUMBER = "(?:\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?|\\.\\d+)(?![a-z])";
const RUN = new RegExp(`(?:(?:${FUNCTION}|${NUMBER}|\\bpi\\b|[-+*/^%(),])\\s*)+`, "gi");
const ASKED = /\b(?:calculate|compute|evaluate|solve|work out|how much|what(?:'s| is| are)?|result|equals)\b|=/i;
/** Signs that stand between numbers in arithmetic only; dates, ranges and phone numbers have the others. */
const UNMISTAKABLE = /[\d)]\s*[+*^]\s*[-(\d]/;
const DATE = /^\d{1,4}-\d{1,2}-\d{1,4}$/;
/** Expressions of one message that are calculated. */
const MAX_EXPRESSIONS = 3;

/** The arithmetic in an English sentence as expressions for the calculator, in order. */
export function expressionsIn(text: string): readonly string[] {
  const signs = WORDS.reduce((current, [word, sign]) => current.replaceAll(word, sign), text);
  const runs = (signs.match(RUN) ?? []).map(trimRun).filter(isArithmetic);
  const isAlone = runs.length === 1 && signs.replaceAll(/[\s?!.=:]+$/g, "").trim() === runs[0];
  const meant = isAlone || ASKED.test(signs) ? runs : runs.filter((run) => UNMISTAKABLE.test(run));
  return meant.slice(0, MAX_EXPRESSIONS);
}

/** Without the commas and signs of the sentence around it. */
function trimRun(run: string): string {
  return run.replace(/^[\s*/^%,)+]+/, "").replace(/[-\s*/^%,(+]+$/, "");
}

function isArithmetic(run: string): boolean {
  if (DATE.test(run) || !/\d|pi/i.test(run)) return false;
  return /[a-z]\s*\(/i.test(run) || /[\d)i]\s*[-+*/^%]\s*[-+(\d.a-z]/i.test(run);
}
