import { createHash } from "node:crypto";
import { BUNDLE_PIECE_BYTES, BUNDLE_VERSION, type BundleLineKind } from "../../protocol/bundle.ts";
import type { FileRef } from "../../protocol/message.ts";
import { unwrap } from "../answers.ts";
import { fileKey } from "../files/file-store.ts";
import type { ConversationCall } from "../route.ts";

type Place = Awaited<ReturnType<ConversationCall<unknown, unknown>["conversation"]["exportPlace"]>>;
export type BundlePlace = Extract<Place, { readonly ok: true }>["value"];

/** A conversation as a bundle, line by line: what it was at `place`, whatever is said meanwhile. */
export async function* writeBundle(
  call: ConversationCall<unknown, unknown>,
  { head, spans }: BundlePlace,
): AsyncGenerator<string> {
  const hash = createHash("sha256");
  const line = (kind: BundleLineKind, value: unknown) => {
    const text = `${JSON.stringify({ [kind]: value })}\n`;
    hash.update(text);
    return text;
  };
  yield line("head", { version: BUNDLE_VERSION, exportedAt: new Date(call.now).toISOString(), ...head });
  let entries = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: { readonly entries: readonly object[]; readonly next?: number } = await unwrap(
      call.conversation.exportRows(call.caller, spans, after),
    );
    for (const entry of page.entries) yield line("entry", entry);
    entries += page.entries.length;
    after = page.next;
  }
  for (const file of head.files) {
    for await (const [kind, value] of readFile(call, file)) yield line(kind, value);
  }
  const sha256 = hash.digest("hex");
  yield `${JSON.stringify({ end: { entries, files: head.files.length, sha256 } })}\n`;
}

/** The pieces of a file, and its end. */
async function* readFile(
  { env, id }: ConversationCall<unknown, unknown>,
  file: FileRef,
): AsyncGenerator<readonly ["piece" | "file", object]> {
  const hash = createHash("sha256");
  let from = 0;
  for (; from < file.bytes; from += BUNDLE_PIECE_BYTES) {
    const length = Math.min(BUNDLE_PIECE_BYTES, file.bytes - from);
    const stored = await env.FILES.get(fileKey(id, file.id), { range: { offset: from, length } });
    if (stored === null) break;
    const bytes = new Uint8Array(await stored.arrayBuffer());
    hash.update(bytes);
    yield ["piece", { file: file.id, base64: Buffer.from(bytes).toString("base64") }];
  }
  // Deleted between two pieces, it would be neither there nor gone.
  if (from > 0 && from < file.bytes) throw new Error(`file ${file.id} went while it was exported`);
  yield ["file", from === 0 ? { id: file.id, gone: true } : { id: file.id, sha256: hash.digest("hex") }];
}
