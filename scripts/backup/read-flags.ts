import { nearest } from "../../src/lib/nearest.ts";

/**
 * Reads `--name value` and `--name=value`.
 * @throws for a flag that is not known, naming the nearest that is; for one that is given twice or without a value; for a
 * word that belongs to none.
 */
export function readFlags<Name extends string>(
  args: readonly string[],
  known: readonly Name[],
): { readonly [name in Name]?: string } {
  const flags = new Map<Name, string>();
  for (let n = 0; n < args.length; n++) {
    const arg = args[n] ?? "";
    const [, word = "", given] = /^--([^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const name = known.find((one) => one === word);
    if (name === undefined) throw new Error(unknown(arg, word, known));
    if (flags.has(name)) throw new Error(`--${name} is given twice: give it once.`);
    const value = given ?? args[++n];
    if (value === undefined || value === "" || (given === undefined && value.startsWith("--"))) {
      throw new Error(`--${name} has no value: --${name} <value>.`);
    }
    flags.set(name, value);
  }
  return Object.fromEntries(flags) as { readonly [name in Name]?: string };
}

/** What is given beside a flag may be a secret: it is not repeated. */
function unknown(arg: string, word: string, known: readonly string[]): string {
  const isFlag = arg.startsWith("--");
  const close = isFlag ? nearest(word, known) : undefined;
  const hint =
    close === undefined ? `there are ${known.map((name) => `--${name}`).join(", ")}.` : `did you mean --${close}?`;
  return `${isFlag ? `--${word}` : arg} is no flag of this command: ${hint}`;
}
