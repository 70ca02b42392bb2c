import { renderFinding } from "./check/finding.ts";
import { readSourceTree } from "./check/source-tree.ts";
import { checkSpec, readSpecs } from "./check/spec.ts";
import { parseFiles } from "./check/syntax.ts";

/** `npm run spec`: silent and 0 when every rule has a test and every citation a rule. */
const { parsed, findings: broken } = parseFiles(readSourceTree(".").filter(({ path }) => path.startsWith("test/")));
const findings = [...broken, ...checkSpec(readSpecs("."), parsed)];
for (const finding of findings) console.error(renderFinding(finding));
if (findings.length > 0) console.error(`${findings.length} findings in rules and their tests`);
process.exitCode = findings.length > 0 ? 1 : 0;
