import { POLICY } from "../../holds/index.ts";
import { requestMirror } from "../../host/index.ts";
import type { Entry } from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import type { Caller, ConversationFacts, Origin } from "../../people/facts.ts";
import type { BundleEntry } from "../../protocol/bundle.ts";
import type { Message } from "../../protocol/message.ts";
import { FILES } from "../../surfaces/webchat/files-state.ts";
import type { Answer } from "../answer.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Life } from "../conversation/life.ts";
import { withoutNative } from "../conversation/without-native.ts";
import { readImportOrigin } from "./bundle-place.ts";
import type { ExportPlace, ExportRows, TransferRpc } from "./transfer-rpc.ts";

interface TransferHost {
  readonly entrance: Entrance;
  /** Creates the conversation with these facts, unless there is one. */
  create(facts: ConversationFacts): Life;
}

const TAKEN = {
  code: "conflict",
  message: "This id stands for another conversation already: import under a new one.",
} as const;
const BUSY = {
  code: "busy",
  message: "This conversation is being copied itself: export it when that is done.",
} as const;

/** What is asked of a conversation that is carried elsewhere, or that begins with what was. */
export class TransferDesk implements TransferRpc {
  readonly #host: TransferHost;

  constructor(host: TransferHost) {
    this.#host = host;
  }

  async exportPlace(caller: Caller): Answer<ExportPlace> {
    const desk = await this.#host.entrance.enter(caller, "export");
    if (!desk.ok) return desk;
    const { kernel, chat, facts } = desk.value;
    const shown = kernel.history.shown();
    if (!shown) return err(BUSY);
    const { title, model, thinking, persona, toolsOff } = kernel.get(chat);
    const head: ExportPlace["head"] = {
      conversation: facts.key,
      visibility: facts.visibility,
      through: shown.through,
      title,
      model,
      thinking,
      persona,
      toolsOff: [...toolsOff],
      pins: [...kernel.snapshot().view.pins],
      constraints: kernel.get(POLICY).constraints.map((one) => ({ ...one, tools: [...one.tools] })),
      members: [...(desk.value.now().members ?? [])],
      files: Object.values(kernel.get(FILES).files),
    };
    return ok({ head, spans: shown.spans });
  }

  async exportRows(caller: Caller, spans: ExportPlace["spans"], after: number): Answer<ExportRows> {
    const desk = await this.#host.entrance.enter(caller, "export");
    if (!desk.ok) return desk;
    const { entries, next } = desk.value.kernel.history.stretches(spans, after);
    return ok({ entries: entries.map(carried), ...(next !== undefined && { next }) });
  }

  async importFrom(caller: Caller, key: string, origin: Origin): Answer<{ readonly created: boolean }> {
    const verdict = await this.#host.entrance.may(caller, "create");
    if (!verdict.ok) return verdict;
    const standing = this.#host.entrance.life();
    if (standing) return isMadeOf(standing, origin) ? ok({ created: false }) : err(TAKEN);
    const life = this.#host.create({ key, visibility: "private", owner: caller.principalId, origin });
    life.kernel.commit(requestMirror);
    return ok({ created: true });
  }
}

/** The same bundle under another upload is the same conversation. */
function isMadeOf({ facts }: Life, origin: Origin): boolean {
  const sha256 = readImportOrigin(origin.key)?.sha256;
  return sha256 !== undefined && readImportOrigin(facts.origin?.key ?? "")?.sha256 === sha256;
}

/** An entry as it leaves: without revision, mark, and the vendor's own blocks. */
function carried({ id, kind, at, task, message, data, head, redacted }: Entry): BundleEntry {
  return {
    id,
    kind,
    at,
    ...(task !== undefined && { task }),
    ...(message && { message: withoutNative(message) as CarriedMessage }),
    ...(data !== undefined && { data }),
    ...(head && { head: head.map(([from, to]): [number, number] => [from, to]) }),
    ...(redacted && { redacted }),
  };
}

/** A prompt is no entry that leaves. */
type CarriedMessage = NonNullable<BundleEntry["message"]> & Exclude<Message, { readonly role: "system" }>;
