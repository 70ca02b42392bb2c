import * as z from "zod";

/** A message to a person that starts no turn. `GET /api/v1/me/notices` lists them, newest first. */
export interface Notice {
  readonly id: string;
  readonly at: number;
  /** Escaped: what looks odd in it is spelled out. */
  readonly text: string;
  /** A path of this deployment; null: it leads nowhere. */
  readonly link: string | null;
  readonly read: boolean;
}

/** A notice before it is in somebody's inbox. */
export type NoticeDraft = Omit<Notice, "read">;

/** `POST /api/v1/me/notices/read` */
export const readNoticesBody = z.strictObject({ ids: z.array(z.string().min(1).max(200)).min(1).max(200) });

/** `POST /api/v1/conversations/:id/seen`: the conversation was seen up to this revision. */
export const seenBody = z.strictObject({ rev: z.number().int().nonnegative() });
