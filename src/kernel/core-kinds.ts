import { childKind } from "./child/child-kind.ts";
import { compactionKind } from "./compaction/compaction-kind.ts";
import { importKind } from "./fork/import-kind.ts";
import type { TaskKind } from "./registry/task-kind.ts";
import type { Services } from "./run/services.ts";
import { CALL, TOOL } from "./state/kinds.ts";
import { generationKind } from "./turn/generation-kind.ts";
import { toolKind } from "./turn/tool-kind.ts";

/** The kernel's own task kinds. */
export function coreKinds(services: Services): readonly TaskKind[] {
  return [
    generationKind(services),
    toolKind(TOOL, services),
    toolKind(CALL, services),
    compactionKind(services),
    importKind(services),
    childKind(services),
  ];
}
