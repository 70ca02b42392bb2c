import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** A source file: path from the project's folder with `/`, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const CODE = /\.(ts|tsx|mjs)$/;
const GENERATED = /\.d\.ts$/;
const SKIPPED = new Set(["node_modules", "dist", "fixtures"]);

/** All code under the project's folder in a stable order; not what is generated, installed, hidden or a fixture. */
export function readSourceTree(root: string): SourceFile[] {
  return listFiles(root)
    .map((path) => relative(root, path).split(sep).join("/"))
    .filter((path) => CODE.test(path) && !GENERATED.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith(".") || SKIPPED.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}
