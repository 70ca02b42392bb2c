import { readFileSync } from "node:fs";
import { checkCircles } from "./check/circles.ts";
import { checkDependencies, type Manifest } from "./check/dependencies.ts";
import { type Finding, renderFinding } from "./check/finding.ts";
import { readImports } from "./check/imports.ts";
import { checkLayers } from "./check/layers.ts";
import { type Outcome, type Program, renderOutcome, runPrograms } from "./check/programs.ts";
import { checkSizes } from "./check/sizes.ts";
import { readSourceTree } from "./check/source-tree.ts";
import { checkSpec, readSpecs } from "./check/spec.ts";
import { parseFiles } from "./check/syntax.ts";

const PROJECTS = ["pure", "worker", "web", "web-test", "node", "workers-test"];

/** Slowest first. */
const PROGRAMS: readonly Program[] = [
  {
    name: "binding types",
    script: "node_modules/wrangler/bin/wrangler.js",
    args: ["types", "--check"],
    fix: "npm run types",
  },
  {
    name: "unused",
    script: "node_modules/knip/bin/knip.js",
    args: ["--no-progress"],
    fix: "remove it, use it, or drop its export",
  },
  {
    name: "lint",
    script: "node_modules/oxlint/bin/oxlint",
    args: ["--deny-warnings", "--format=agent"],
    fix: "follow the help of each line",
  },
  { name: "format", script: "node_modules/@biomejs/biome/bin/biome", args: ["check"], fix: "npm run format" },
  ...PROJECTS.map((project) => ({
    name: `types of tsconfig.${project}.json`,
    script: "node_modules/typescript/bin/tsc",
    args: ["-p", `tsconfig.${project}.json`],
    fix: "mend the types",
  })),
];

/** `npm run check`: everything that can be known without running the product. */
const running = runPrograms(PROGRAMS);
const outcomes = [...checkOwnRules(), ...(await running)];
const bad = outcomes.filter(({ ok }) => !ok);
for (const one of bad) console.error(renderOutcome(one));
const names = bad.map(({ name }) => name).join(", ");
console.log(bad.length === 0 ? `${outcomes.length} checks passed` : `\n${bad.length} checks failed: ${names}`);
process.exitCode = bad.length === 0 ? 0 : 1;

function checkOwnRules(): Outcome[] {
  const files = readSourceTree(".");
  const { parsed, findings } = parseFiles(files);
  const imports = new Map(parsed.map((file) => [file.path, readImports(file)]));
  return [
    outcome("syntax", findings, "mend the syntax"),
    outcome("layers", checkLayers(imports), "the table stands in docs/architecture.md"),
    outcome("circles", checkCircles(imports), "imports point one way"),
    outcome("sizes", checkSizes(files), "one idea a file, the file named after it"),
    outcome("dependencies", checkDependencies(manifest(), readFileSync("docs/dependencies.md", "utf8")), "say why"),
    outcome("spec", checkSpec(readSpecs("."), parsed), "docs/spec has the rules, test titles cite them"),
  ];
}

function manifest(): Manifest {
  return JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
}

function outcome(name: string, findings: readonly Finding[], fix: string): Outcome {
  return { name, ok: findings.length === 0, output: findings.map(renderFinding).join("\n"), fix };
}
