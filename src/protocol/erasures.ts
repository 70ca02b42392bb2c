import * as z from "zod";
import { peoplePageQuery } from "./people.ts";

/** `POST /api/v1/people/:person/erase`, `POST /api/v1/me/erase`: the digest is that of the preview that was shown. */
export const eraseBody = z.strictObject({ digest: z.string().regex(/^[0-9a-f]{64}$/) });

/** `GET /api/v1/people/erasures`: `before` is the `next` of the page before. */
export const erasuresQuery = peoplePageQuery;

/** Answer to `GET …/erase`: how much each store holds of a person. Nothing of it comes back. */
export const erasurePreviewShape = z.object({
  person: z.object({ id: z.string(), name: z.string(), tier: z.enum(["guest", "member", "admin", "owner"]) }),
  stores: z.array(z.object({ store: z.string(), found: z.number() })),
  /** What stays, in words. */
  keeps: z.array(z.string()),
  digest: z.string(),
});

/** A person who was erased, or is being erased: `finishedAt` is absent until everything was looked through once more. */
export const erasureShape = z.object({
  person: z.string(),
  /** Principal. */
  orderedBy: z.string(),
  begunAt: z.number(),
  finishedAt: z.number().optional(),
  /** What was found in each store, and what is left there; `left` is absent until that was looked at. */
  receipt: z.array(z.object({ store: z.string(), found: z.number(), left: z.number().optional() })),
});

export const erasuresShape = z.object({
  erasures: z.array(erasureShape),
  /** Of those who ordered them, as they are called now. */
  names: z.record(z.string(), z.string()),
  next: z.string().optional(),
});

export type ErasurePreviewBody = z.output<typeof erasurePreviewShape>;
export type ErasuresPage = z.output<typeof erasuresShape>;
export type Erasure = z.output<typeof erasureShape>;
