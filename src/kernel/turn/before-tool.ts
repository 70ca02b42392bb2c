import { utf8Bytes } from "../../lib/bytes.ts";
import { copyJson } from "../../lib/copy-json.ts";
import { cutText } from "../../lib/cut.ts";
import type { Json } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { KernelError } from "../errors.ts";
import { MAX_REASON_UNITS, MAX_TOOL_INPUT_BYTES } from "../limits.ts";
import { hostRead } from "../plugin/host-read.ts";
import { hostTx } from "../plugin/host-tx.ts";
import type { Approval, BeforeTool, BeforeToolApi, PendingCall } from "../registry/hooks.ts";
import type { HostTx } from "../registry/host-tx.ts";
import type { HookSet } from "../registry/registry.ts";
import type { Run } from "../registry/task-kind.ts";
import type { Tool } from "../registry/tool.ts";
import type { Services } from "../run/services.ts";
import { withLimit } from "../run/with-limit.ts";
import { readMemo } from "../storage/memos.ts";
import { type CallResult, textResult } from "./settle-call.ts";

/** What the chain of handlers came to. */
export type ChainVerdict =
  | {
      readonly kind: "start";
      readonly input: Json;
      /** A handler changed the arguments: `input` is not what the entry says. */
      readonly changed: boolean;
      readonly onStarted: readonly ((tx: HostTx) => void)[];
      readonly approval: Approval | null;
    }
  | { readonly kind: "end"; readonly result: CallResult }
  | ({ readonly kind: "park"; readonly waitingOn: string } & Omit<Extract<BeforeTool, { kind: "park" }>, "kind">);

/** The raw arguments as the tool's validated input, or the error result that says what is wrong with them. */
export function readArguments(tool: Tool, args: string): Result<Json, CallResult> {
  const bytes = utf8Bytes(args);
  if (bytes > MAX_TOOL_INPUT_BYTES) {
    const text = `The arguments have ${bytes} bytes, the limit is ${MAX_TOOL_INPUT_BYTES}. Call again with less.`;
    return err(textResult("error", "invalid_arguments", text));
  }
  let input: Json;
  try {
    input = args.trim() === "" ? {} : (JSON.parse(args) as Json);
  } catch (error) {
    const text = `The arguments are not valid JSON (${String(error)}). Call again with a JSON object.`;
    return err(textResult("error", "invalid_arguments", text));
  }
  return validateInput(tool, input);
}

/** The input as the tool's schema reads it, or the error result that says what does not fit. */
export function validateInput(tool: Tool, input: Json): Result<Json, CallResult> {
  const checked = tool.validate(input);
  if (checked.ok) return ok(checked.value);
  const text = `The arguments of ${tool.name} do not fit: ${checked.error}`;
  return err(textResult("error", "invalid_arguments", text));
}

/** Runs the handlers in order of registration. The first block or park decides; a throw blocks, and so does taking too long. */
export async function runBeforeTool(
  services: Services,
  run: Run,
  hooks: readonly HookSet[],
  call: PendingCall,
): Promise<ChainVerdict> {
  let input = call.input;
  let approval: Approval | null = null;
  const onStarted: ((tx: HostTx) => void)[] = [];
  for (const set of hooks) {
    if (!set.hooks.beforeTool) continue;
    const copies = { input: copyJson(input), meta: structuredClone(call.meta) };
    const decision = await decide(services, run, set, { ...call, ...copies });
    switch (decision.kind) {
      case "allow":
      case "pass": {
        if (decision.kind === "allow") {
          onStarted.push(decision.onStarted);
          approval = decision.approval ?? approval;
        }
        if (decision.input === undefined) break;
        const checked = validateInput(call.tool, decision.input);
        if (!checked.ok) return { kind: "end", result: checked.error };
        input = copyJson(checked.value);
        break;
      }
      case "block": {
        const { code, text, decidedBy } = decision;
        const result = { ...textResult("blocked", code, text), ...(decidedBy !== undefined && { decidedBy }) };
        return { kind: "end", result };
      }
      case "park":
        return { ...decision, waitingOn: set.namespace.name };
    }
  }
  return { kind: "start", input, changed: input !== call.input, onStarted, approval };
}

async function decide(services: Services, run: Run, set: HookSet, call: PendingCall): Promise<BeforeTool> {
  const over = new AbortController();
  try {
    const asked = Promise.resolve(set.hooks.beforeTool?.(call, apiFor(services, run, set, over.signal)));
    const decision = await withLimit(services.ports.clock, asked, call.signal);
    // Types are gone at run time: what is no decision must not let the call run.
    if (isDecision(decision)) return decision;
    throw new Error(`${JSON.stringify(decision)} is no decision`);
  } catch (error) {
    if (run.signal.aborted) throw error;
    const reason = cutText(String(error), MAX_REASON_UNITS);
    const text = `The check by ${set.namespace.name} failed, so the call did not run: ${reason}`;
    return { kind: "block", code: "check_failed", text };
  } finally {
    over.abort();
  }
}

const DECISIONS: ReadonlySet<unknown> = new Set<BeforeTool["kind"]>(["pass", "allow", "block", "park"]);

function isDecision(made: BeforeTool | undefined): made is BeforeTool {
  return DECISIONS.has(made?.kind);
}

/** @param over aborts when the handler has returned: what it kept of this is dead then. */
function apiFor({ ports, store }: Services, run: Run, { namespace }: HookSet, over: AbortSignal): BeforeToolApi {
  const commit = (builder: (tx: HostTx) => Json) => {
    if (over.aborted)
      throw new KernelError("revoked", `The check by ${namespace.name} is over: it may not write any more.`);
    return run.commit((tx) => builder(hostTx(tx)));
  };
  return Object.freeze<BeforeToolApi>({
    memo: (name, candidate) => commit((tx) => tx.memo(namespace, run.id, name, candidate)),
    recall: (name) => readMemo(ports.storage, run.id, namespace.name, name)?.value,
    emit(name, facts) {
      commit((tx) => {
        tx.emit(namespace, name, facts);
        return null;
      });
    },
    read: hostRead(store),
    now: () => ports.clock.now(),
  });
}
