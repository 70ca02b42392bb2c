import type { Finding } from "./finding.ts";
import type { Import } from "./imports.ts";

/**
 * The table of docs/architecture.md: which folder may import which. A folder may always import itself. `kernel` and
 * `host` stand for their index.ts alone; `kernel/ports` for the kernel's port types.
 */
const UP_TO_HOST = ["lib", "protocol", "kernel", "models", "store", "people", "auth", "holds", "host"];
const FEATURES = ["plugins/*", "surfaces/*"];
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  protocol: ["lib"],
  kernel: ["lib", "protocol"],
  models: ["lib", "protocol", "kernel/ports"],
  store: ["lib"],
  people: ["lib", "protocol", "store"],
  auth: ["lib", "protocol", "people", "store"],
  holds: ["lib", "protocol", "kernel", "people"],
  host: ["lib", "protocol", "kernel", "people", "holds", "store"],
  // Tools, namespaces and task kinds are defined by the kernel's border; the host registers them.
  "plugins/*": ["lib", "protocol", "kernel", "host"],
  "plugins/models": ["lib", "protocol", "kernel", "host", "models"],
  "surfaces/*": ["lib", "protocol", "kernel", "host"],
  objects: [...UP_TO_HOST, ...FEATURES, "config"],
  worker: [...UP_TO_HOST, ...FEATURES, "objects", "config"],
  config: ["lib", "protocol"],
  examples: ["lib", "kernel", "host"],
  web: ["lib", "protocol"],
  tools: [...UP_TO_HOST, ...FEATURES, "objects", "worker", "config", "web"],
};

/** Layers of which only the index may be imported from outside. */
const BORDERED = ["kernel", "host"];
/** The Worker's own files at the top of `src`, and the folder of its routes. */
const WORKER_FILES = /^src\/([a-z-]+\.ts|routes\/.*)$/;
const TEST_KIT = "test/kit/";
const TOOLS = /^(scripts|bench|[a-z.-]+\.config\.ts$|web\/vite\.config\.ts$)/;

/** Imports against the table of layers, and the few rules about single packages. `imports` by file path. */
export function checkLayers(imports: ReadonlyMap<string, readonly Import[]>): Finding[] {
  return [...imports].flatMap(([path, list]) => list.flatMap((one) => checkImport(path, one)));
}

function checkImport(path: string, { line, specifier, target, names }: Import): Finding[] {
  const what = target === undefined ? checkPackage(path, specifier, names) : checkTarget(path, target);
  return what === undefined ? [] : [{ where: `${path}:${line}`, what }];
}

function checkPackage(path: string, specifier: string, names: readonly string[]): string | undefined {
  if (specifier === "zod" && names.some((name) => name !== "*" && name !== "")) {
    if (names.includes("z") || names.includes("default")) {
      return 'imports "zod" by name, which triples the bundled size; write: import * as z from "zod"';
    }
  }
  if (specifier.startsWith("cloudflare:") && layerOf(path) === "kernel") {
    return `imports ${specifier}: the kernel knows no platform; take what it gives as a port (src/kernel/ports)`;
  }
  return undefined;
}

function checkTarget(path: string, target: string): string | undefined {
  const from = layerOf(path);
  const to = layerOf(target);
  if (from === "test" || from === to || (from === "tools" && target.startsWith(TEST_KIT))) return undefined;
  if (from === undefined)
    return "stands in no layer; move it, or add its folder to docs/architecture.md and MAY_IMPORT";
  if (to === undefined || to === "test") return `imports ${target}, which stands in no layer that code may import`;
  const allowed = MAY_IMPORT[from] ?? MAY_IMPORT[familyOf(from)] ?? [];
  if (to === "kernel" && allowed.includes("kernel/ports")) {
    return target.startsWith("src/kernel/ports/")
      ? undefined
      : `imports ${target}; ${from} may use src/kernel/ports only`;
  }
  if (!allowed.includes(to) && !allowed.includes(familyOf(to))) {
    return `imports ${target}; ${from} may import ${allowed.join(", ") || "nothing"}, not ${to}`;
  }
  if (BORDERED.includes(to) && target !== `src/${to}/index.ts`) {
    return `imports ${target}; from outside, import src/${to}/index.ts`;
  }
  return undefined;
}

/** The layer of a path, e.g. `kernel`, `plugins/notes`; undefined when it stands in none. */
function layerOf(path: string): string | undefined {
  if (TOOLS.test(path) && path !== "althing.config.ts") return "tools";
  if (path === "althing.config.ts") return "config";
  if (path.startsWith("test/")) return "test";
  if (path.startsWith("web/")) return "web";
  if (path.startsWith("examples/")) return "examples";
  if (WORKER_FILES.test(path)) return "worker";
  if (/^src\/plugins\/[^/]+$/.test(path)) return "plugins";
  const [, folder = "", inner = ""] = /^src\/([^/]+)\/([^/.]+)/.exec(path) ?? [];
  const layer = folder === "plugins" || folder === "surfaces" ? `${folder}/${inner}` : folder;
  return MAY_IMPORT[layer] || MAY_IMPORT[familyOf(layer)] ? layer : undefined;
}

/** `plugins/notes` → `plugins/*`; other layers are their own family. */
function familyOf(layer: string): string {
  return layer.replace(/\/.*/, "/*");
}
