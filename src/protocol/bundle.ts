import * as z from "zod";
import { isDeeper } from "../lib/is-deeper.ts";
import type { Json } from "../lib/json.ts";
import {
  MAX_CONSTRAINT_TOOLS,
  MAX_CONSTRAINT_UNITS,
  MAX_FILE_BYTES,
  MAX_FILE_NAME_UNITS,
  MAX_TITLE_UNITS,
} from "./limits.ts";
import { unitsText } from "./units.ts";

/** What a conversation is exported as: one JSON value a line, in the order head, entries, files, end. */
export const BUNDLE_VERSION = "althing.conversation.v1";
/** Bytes of a bundle that can be imported: what the platform takes as one body, with room. */
export const MAX_BUNDLE_BYTES = 95 * 1024 * 1024;
/** UTF-8 bytes of one line. */
export const MAX_BUNDLE_LINE_BYTES = 2 * 1024 * 1024;
export const MAX_BUNDLE_ENTRIES = 100_000;
const MAX_BUNDLE_FILES = 500;
/** Bytes of a file that one line carries. */
export const BUNDLE_PIECE_BYTES = 768 * 1024;
/** UTF-8 bytes of everything that is pinned. */
export const MAX_BUNDLE_PIN_BYTES = 32 * 1024;

const MAX_ID = 2 ** 40;
const MAX_TIME = 8_640_000_000_000_000;
const MAX_DEPTH = 100;
const MAX_STRETCHES = 200;
const MAX_MEMBERS = 50;
const MAX_CONSTRAINTS = 20;
const MAX_PINS = 20;

const id = z.number().int().min(1).max(MAX_ID);
const at = z.number().int().min(0).max(MAX_TIME);
const name = z.string().min(1).max(200);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const json = z.custom<Json>((value) => value !== undefined && !isDeeper(value, MAX_DEPTH), {
  error: `nests deeper than ${MAX_DEPTH} levels`,
});

const fileRef = z.strictObject({
  /** A ULID. */
  id: z.string().regex(/^[0-9a-hjkmnp-tv-z]{26}$/i),
  name: unitsText(MAX_FILE_NAME_UNITS, 1),
  mime: z.string().min(1).max(255),
  bytes: z.number().int().min(1).max(MAX_FILE_BYTES),
});

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const heardPart = z.discriminatedUnion("type", [text, z.strictObject({ type: z.literal("file"), file: fileRef })]);
const saidPart = z.discriminatedUnion("type", [
  text,
  z.strictObject({ type: z.literal("thinking"), text: z.string() }),
  z.strictObject({ type: z.literal("call"), id: z.string().max(200), name, args: z.string() }),
]);

/** A message as people may see it: without prompts and without the vendors' own blocks. */
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), content: z.array(heardPart) }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.array(saidPart),
    stop: z.enum(["end", "calls", "length", "refusal"]),
  }),
  z.strictObject({
    role: z.literal("tool"),
    callId: z.string().max(200),
    name,
    content: z.array(heardPart),
    isError: z.boolean(),
  }),
]);

const said = z.looseObject({ input: z.string().max(400), actor: z.string().max(200) });
const by = z.looseObject({ by: z.string().max(200) });
const count = z.number().min(0);

/** What the data of the kernel's own kinds must have. A kind of this family that is not here is refused. */
const CORE_DATA: Readonly<Record<string, z.ZodType>> = {
  "core.user": said,
  "core.notice": said,
  "core.assistant": z.looseObject({
    model: z.string().max(200),
    usage: z.strictObject({ input: count, output: count, cachedRead: count, cachedWrite: count, costMicros: count }),
    ms: count,
  }),
  "core.tool_result": z.looseObject({
    entry: id,
    index: z.number().int().min(0),
    outcome: z.enum(["ok", "error", "blocked", "stopped", "unknown", "pending"]),
  }),
  "core.summary": z.looseObject({ through: z.number().int().min(0).max(MAX_ID) }),
  "core.reset": by,
  "core.handoff": by,
  "core.rewind": z.looseObject({
    to: z.number().int().min(0).max(MAX_ID),
    left: z.tuple([id, id]),
    by: z.string().max(200),
  }),
  "core.fork": z.strictObject({ from: z.string().max(200), at: id }),
};

const BEGINS_ANEW: ReadonlySet<string> = new Set(["core.summary", "core.reset", "core.handoff", "core.rewind"]);
const SPOKEN: Readonly<Record<string, string>> = {
  "core.user": "user",
  "core.notice": "user",
  "core.assistant": "assistant",
  "core.tool_result": "tool",
};

const entry = z
  .strictObject({
    id,
    kind: z.string().regex(/^[a-z][a-zA-Z0-9_.-]{0,63}$/),
    at,
    task: id.optional(),
    message: message.optional(),
    data: json.optional(),
    /** Stretches of entries that stay in front of this one: the transcript begins anew here. */
    head: z
      .array(z.tuple([id, id]))
      .max(MAX_STRETCHES)
      .optional(),
    redacted: z.strictObject({ at, by: z.string().max(200) }).optional(),
  })
  .superRefine((found, context) => {
    const fault = findEntryFault(found);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  });
export type BundleEntry = z.infer<typeof entry>;

function findEntryFault(entry: LooseEntry): string | undefined {
  const { id: own, kind, task, head = [] } = entry;
  const fault = kind.startsWith("core.") ? findCoreFault(entry) : undefined;
  if (fault !== undefined) return fault;
  if (entry.message?.role === "tool" && kind !== "core.tool_result") return `a ${kind} is not said by a tool`;
  if (task !== undefined && task >= own) return `its task ${task} is not older than the entry`;
  if (head.length > 0 && !BEGINS_ANEW.has(kind)) return `a ${kind} does not begin the transcript anew`;
  let last = 0;
  for (const [from, to] of head) {
    if (from <= last || to < from || to >= own) return "its stretches do not rise up to the entry";
    last = to;
  }
  return undefined;
}

/** Why an entry is none of the kernel's own. */
function findCoreFault({ kind, data, message: words }: LooseEntry): string | undefined {
  const shape = Object.hasOwn(CORE_DATA, kind) ? CORE_DATA[kind] : undefined;
  if (shape === undefined) return `there is no kind ${kind}`;
  const [issue] = shape.safeParse(data).error?.issues ?? [];
  if (issue) return `data.${issue.path.join(".")}: ${issue.message}`;
  const role = Object.hasOwn(SPOKEN, kind) ? SPOKEN[kind] : undefined;
  return role !== undefined && words !== undefined && words.role !== role
    ? `a ${kind} is not said by ${words.role}`
    : undefined;
}

type LooseEntry = {
  readonly id: number;
  readonly kind: string;
  readonly task?: number | undefined;
  readonly data?: unknown;
  readonly head?: readonly (readonly [number, number])[] | undefined;
  readonly message?: { readonly role: string } | undefined;
};

const constraint = z.strictObject({
  id: z.uuid(),
  tools: z.array(z.string().min(1).max(64)).min(1).max(MAX_CONSTRAINT_TOOLS),
  effect: z.enum(["ask", "never"]),
  text: unitsText(MAX_CONSTRAINT_UNITS, 1),
  by: z.strictObject({ principalId: z.string().max(64), name: z.string().max(64) }),
  at,
});

/** The first line, but for the id and the time, which an import does not look at. */
const head = z.strictObject({
  version: z.literal(BUNDLE_VERSION),
  conversation: z.string().max(200),
  exportedAt: z.string().max(40),
  visibility: z.enum(["private", "shared"]),
  /** The newest entry. 0: there is none. */
  through: z.number().int().min(0).max(MAX_ID),
  title: z.string().max(MAX_TITLE_UNITS),
  /** Empty, as the following ones: not chosen. */
  model: z.string().max(200),
  thinking: z.enum(["", "off", "low", "medium", "high"]),
  persona: z.string().max(32),
  toolsOff: z.array(z.string().max(64)).max(1_000),
  pins: z.array(id).max(MAX_PINS),
  constraints: z.array(constraint).max(MAX_CONSTRAINTS),
  /** Principals of a shared conversation. An import takes nobody in. */
  members: z.array(z.string().max(64)).max(MAX_MEMBERS),
  files: z.array(fileRef).max(MAX_BUNDLE_FILES),
});
export type BundleHead = z.infer<typeof head>;

const piece = z.strictObject({ file: z.string().max(26), base64: z.base64() });
/** Ends the pieces of a file. `gone`: its bytes were not to be had. */
const file = z.strictObject({ id: z.string().max(26), sha256: sha256.optional(), gone: z.literal(true).optional() });
/** The SHA-256 is that of every byte before this line. */
const end = z.strictObject({ entries: z.number().int(), files: z.number().int(), sha256 });

/** What stands in a line, by the one key that it has. */
export const bundleLines = {
  head: z.strictObject({ head }),
  entry: z.strictObject({ entry }),
  piece: z.strictObject({ piece }),
  file: z.strictObject({ file }),
  end: z.strictObject({ end }),
} as const;
export type BundleLineKind = keyof typeof bundleLines;
