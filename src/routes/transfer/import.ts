import * as z from "zod";
import { ulid } from "../../lib/ulid.ts";
import { bundleKey, bundlePrefix, importOrigin, indexKey } from "../../objects/transfer/bundle-place.ts";
import { BundleFault } from "../../objects/transfer/bundle-reader.ts";
import { idsOf, isSame } from "../../people/other-ids.ts";
import { MAX_BUNDLE_BYTES } from "../../protocol/bundle.ts";
import { readConversation } from "../../store/conversations.ts";
import { json, unwrap } from "../answers.ts";
import { conversationAt } from "../conversation/conversation-at.ts";
import { usedUp } from "../conversation/conversations.ts";
import { Refuse } from "../refusal.ts";
import { signedInRoute } from "../route.ts";
import { createdShape } from "../shapes.ts";
import { storeBundle } from "./store-bundle.ts";

/** Uploads that never became a conversation are kept this long, in case one is about to. */
const FORGOTTEN_MS = 24 * 3_600_000;
/** Of those, how many one import clears away. */
const MAX_SWEPT = 100;

export const importConversation = signedInRoute({
  method: "POST",
  path: "/api/v1/conversations/import",
  summary:
    "A new private conversation under the client's own UUID out of a bundle: the body is what `export?format=ndjson` gave, with its `Content-Length`. Repeating it makes nothing more.",
  query: z.strictObject({ id: z.uuid() }),
  answers: { 200: createdShape, 201: createdShape },
  async handle({ env, db, caller, person, query, request, deps, now }) {
    const { id, key, conversation } = conversationAt(env, query.id);
    const row = await readConversation(db, key);
    if (row !== undefined && row.deletedAt !== null) throw usedUp(isSame(person, row.owner));
    const length = readLength(request.headers.get("content-length"));
    if (request.body === null) throw wantsLength();
    const { principalId } = caller;
    for (const own of idsOf(person)) await sweep(env.FILES, own, now);
    const upload = ulid(now, deps.random);
    const places = { bundle: bundleKey(principalId, upload), index: indexKey(principalId, upload) };
    const { sha256, through } = await storeBundle(env.FILES, places, request.body, length).catch(asRefusal);
    const made = await conversation.importFrom(caller, key, importOrigin(sha256, upload, through));
    const isNew = made.ok && made.value.created;
    if (!isNew) await env.FILES.delete([places.bundle, places.index]);
    const { created } = await unwrap(Promise.resolve(made));
    return json({ id, created }, created ? 201 : 200);
  },
});

function readLength(declared: string | null): number {
  if (declared === null || !/^[1-9]\d{0,14}$/.test(declared)) throw wantsLength();
  const length = Number(declared);
  if (length <= MAX_BUNDLE_BYTES) return length;
  const message = `A bundle may have ${MAX_BUNDLE_BYTES} bytes; this one has ${length}. Leave out its largest files.`;
  throw new Refuse({ code: "too_large", message });
}

function wantsLength(): Refuse {
  return new Refuse({ code: "bad_request", message: "The upload is empty, or its Content-Length is missing." });
}

function asRefusal(error: unknown): never {
  if (error instanceof BundleFault) throw new Refuse({ code: "bad_request", message: error.message });
  throw error;
}

/** What a death between upload and conversation left lying. */
async function sweep(bucket: R2Bucket, principalId: string, now: number): Promise<void> {
  const { objects } = await bucket.list({ prefix: bundlePrefix(principalId), limit: MAX_SWEPT });
  const old = objects.filter(({ uploaded }) => uploaded.getTime() < now - FORGOTTEN_MS).map(({ key }) => key);
  if (old.length > 0) await bucket.delete(old);
}
