import * as z from "zod";

const personId = z.string().min(1).max(64);

/** `GET /api/v1/people/:person/merge`: `into` is the principal who stays. */
export const mergeQuery = z.strictObject({ into: personId });

/** `POST /api/v1/people/:person/merge`: the digest is that of the preview that was shown. */
export const mergeBody = z.strictObject({ into: personId, digest: z.string().regex(/^[0-9a-f]{64}$/) });

const named = z.object({ id: z.string(), name: z.string(), tier: z.enum(["guest", "member", "admin", "owner"]) });

/** Answer to `GET …/merge`: who becomes one with whom, and how much each store holds of the former. */
export const mergePreviewShape = z.object({
  person: named,
  into: named,
  stores: z.array(z.object({ store: z.string(), found: z.number() })),
  /** What becomes of it, in words. */
  becomes: z.array(z.string()),
  digest: z.string(),
});

/** Answer to a digest that is not that of now: the preview of now. */
export const mergeChangedShape = z.object({
  error: z.object({ code: z.literal("conflict"), message: z.string() }),
  preview: mergePreviewShape,
});

export type MergePreviewBody = z.output<typeof mergePreviewShape>;
