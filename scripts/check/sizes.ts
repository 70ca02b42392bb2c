import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-tree.ts";

const MAX_SOURCE_LINES = 300;
const MAX_TEST_LINES = 600;

/** Files that are longer than a reader holds in mind. No file is exempt. */
export function checkSizes(files: readonly SourceFile[]): Finding[] {
  return files.flatMap(({ path, text }) => {
    const limit = path.startsWith("test/") ? MAX_TEST_LINES : MAX_SOURCE_LINES;
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    if (lines <= limit) return [];
    return [{ where: path, what: `${lines} lines, the limit is ${limit}; split it by noun, then by role` }];
  });
}
