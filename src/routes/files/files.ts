import * as z from "zod";
import { decideMime, HEAD_BYTES, isShown, servedType } from "../../lib/file-kind.ts";
import { attachmentNamed, sanitiseFileName } from "../../lib/file-name.ts";
import { ulid } from "../../lib/ulid.ts";
import { MAX_FILE_BYTES, MAX_FILE_NAME_UNITS } from "../../protocol/limits.ts";
import type { FileRef } from "../../protocol/message.ts";
import { json, unwrap } from "../answers.ts";
import { notFound, Refuse } from "../refusal.ts";
import { type ConversationCall, conversationRoute } from "../route.ts";
import { fileShape } from "../shapes.ts";
import { fileKey, type Peeked, peek, storeFile } from "./file-store.ts";

export const upload = conversationRoute({
  method: "POST",
  path: "/api/v1/conversations/:id/files",
  summary: "Stores a file: the body is its bytes, `Content-Length` and `Content-Type` describe it.",
  query: z.strictObject({ name: z.string().min(1).max(MAX_FILE_NAME_UNITS) }),
  answers: { 201: fileShape },
  async handle(call) {
    const { request, query, deps, now } = call;
    const bytes = readDeclaredLength(request.headers);
    const body: ReadableStream<Uint8Array> | null = request.body;
    if (body === null) throw wantsLength();
    const peeked = await peek(body, HEAD_BYTES);
    const file: FileRef = {
      id: ulid(now, deps.random),
      name: sanitiseFileName(query.name),
      mime: decideMime(peeked.head, request.headers.get("content-type")),
      bytes,
    };
    await registerAndStore(call, file, peeked);
    return json(file, 201);
  },
});

/** The conversation decides before the bytes are stored, and is asked again after: it may be gone, or closed to the sender. */
async function registerAndStore(
  { conversation, caller, env, id }: ConversationCall<unknown, unknown>,
  file: FileRef,
  peeked: Peeked,
): Promise<void> {
  const registered = await conversation.addFile(caller, file);
  if (!registered.ok) {
    await peeked.cancel();
    throw new Refuse(registered.error);
  }
  const key = fileKey(id, file.id);
  try {
    await storeFile(env.FILES, key, peeked.whole, file);
  } catch (error) {
    await conversation.removeFile(caller, file.id);
    throw error;
  }
  const kept = await conversation.file(caller, file.id);
  if (kept.ok) return;
  await env.FILES.delete(key);
  await conversation.removeFile(caller, file.id);
  throw new Refuse(kept.error);
}

function readDeclaredLength(headers: Headers): number {
  const declared = headers.get("content-length");
  if (declared === null || !/^[1-9]\d{0,14}$/.test(declared)) throw wantsLength();
  const bytes = Number(declared);
  if (bytes <= MAX_FILE_BYTES) return bytes;
  throw new Refuse({ code: "too_large", message: `A file may have ${MAX_FILE_BYTES} bytes; this one has ${bytes}.` });
}

function wantsLength(): Refuse {
  return new Refuse({ code: "bad_request", message: "The upload is empty, or its Content-Length is missing." });
}

export const download = conversationRoute({
  method: "GET",
  path: "/api/v1/conversations/:id/files/:file",
  summary: "The bytes of a file. Images are shown, everything else is downloaded.",
  answers: { 200: { media: "application/octet-stream" } },
  async handle({ request, conversation, caller, env, id, param }) {
    const file = await unwrap(conversation.file(caller, param("file")));
    const headers = headersOf(file);
    if (request.headers.get("if-none-match") === headers.get("etag"))
      return new Response(null, { status: 304, headers });
    const stored = await env.FILES.get(fileKey(id, file.id));
    if (stored === null) throw notFound();
    headers.set("content-length", String(stored.size));
    return new Response(stored.body, { headers });
  },
});

/** The sandbox takes scripts, forms and the origin away, should a browser ever treat the file as a page. */
function headersOf(file: FileRef): Headers {
  const headers = new Headers({
    "content-type": servedType(file.mime),
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    // A file never changes, but who may read it does: every use asks again.
    "cache-control": "private, no-cache",
    etag: `"${file.id}"`,
  });
  if (!isShown(file.mime)) headers.set("content-disposition", attachmentNamed(file.name));
  return headers;
}
