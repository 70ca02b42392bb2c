import type { AssistantMessage } from "../../protocol/message.ts";
import { findMessageFault } from "../context/message-fault.ts";
import type { ModelRequest } from "../ports/model.ts";
import type { PromptDraft, Response, StepContext } from "../registry/hooks.ts";
import type { RegistrySnapshot } from "../registry/registry.ts";
import type { Services } from "../run/services.ts";
import { runHooks } from "./hook-chain.ts";

/** The prompt after every handler's edits; what a failing one did is not among them. */
export async function editPrompt(
  services: Services,
  registry: RegistrySnapshot,
  prompt: PromptDraft,
  step: StepContext,
): Promise<PromptDraft> {
  let standing = prompt;
  await runHooks(services, registry, "systemInstructions", {
    signal: step.signal,
    async call(hooks) {
      const draft = structuredClone(standing);
      await hooks.systemInstructions?.(draft, step);
      return draft;
    },
    take(draft) {
      standing = draft;
      return undefined;
    },
  });
  return standing;
}

/** The request with the messages that the handlers made of them. */
export async function editMessages(
  services: Services,
  registry: RegistrySnapshot,
  request: ModelRequest,
  step: StepContext,
): Promise<ModelRequest> {
  let { messages } = request;
  await runHooks(services, registry, "beforeRequest", {
    signal: step.signal,
    async call(hooks) {
      const made = await hooks.beforeRequest?.(structuredClone(messages), step);
      const fault = made && findMessageFault(made);
      if (fault !== undefined) throw new Error(`no vendor takes these messages: ${fault}`);
      return made;
    },
    take(made) {
      messages = made ?? messages;
      return undefined;
    },
  });
  return { ...request, messages };
}

export async function observeResponse(
  services: Services,
  registry: RegistrySnapshot,
  response: Response,
  step: StepContext,
): Promise<void> {
  const call = { signal: step.signal };
  await runHooks(services, registry, "afterResponse", {
    ...call,
    call: (hooks) => hooks.afterResponse?.(structuredClone(response), step),
  });
}

/** Words that make the turn go on after a final answer, and whose they are. */
export interface Continuation {
  readonly text: string;
  readonly namespace: string;
}

export async function askToGoOn(
  services: Services,
  registry: RegistrySnapshot,
  answer: AssistantMessage,
  step: StepContext,
): Promise<Continuation | undefined> {
  let found: Continuation | undefined;
  await runHooks(services, registry, "onYield", {
    signal: step.signal,
    call: (hooks) => hooks.onYield?.(structuredClone(answer), step),
    take(text, { namespace }) {
      if (text === undefined || text.trim() === "") return undefined;
      found = { text, namespace: namespace.name };
      return "enough";
    },
  });
  return found;
}
