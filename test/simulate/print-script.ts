import type { AnyStep } from "./actors/index.ts";
import type { Script } from "./script.ts";

/** A script as an item of the list in `regressions.test.ts`, to be pasted there. */
export function printRegression(name: string, script: Script<AnyStep>): string {
  const list = (items: readonly unknown[]) => items.map((item) => `        ${literal(item)},`).join("\n");
  const lists = Object.entries(script).map(([key, items]) => {
    return Array.isArray(items) ? `      ${key}: [\n${list(items)}\n      ],` : `      ${key}: ${literal(items)},`;
  });
  return [`  {`, `    name: ${JSON.stringify(name)},`, `    script: {`, ...lists, `    },`, `  },`].join("\n");
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, item]) => `${key}: ${literal(item)}`)
    .join(", ")} }`;
}
