import * as z from "zod";
import type { Json } from "../lib/json.ts";
import type { ErrorCode } from "./frames.ts";
import { MAX_CONSTRAINT_TOOLS, MAX_CONSTRAINT_UNITS, MAX_TITLE_UNITS } from "./limits.ts";
import type { Message, Usage } from "./message.ts";
import { unitsText } from "./units.ts";
import type { ThinkingLevel } from "./view.ts";

/** `POST /auth/claim` */
export const claimBody = z.strictObject({ code: z.string().min(1).max(128) });

/** `POST /auth/signout` */
export const signoutBody = z.strictObject({ everywhere: z.boolean().optional() });

/** `POST /api/v1/conversations`: the id is the client's UUID, so a retry creates nothing twice. */
export const createBody = z.strictObject({
  id: z.uuid(),
  /** Fixed for ever. `shared`: for owners; others come in as its members. */
  visibility: z.enum(["private", "shared"]).optional(),
});

export type Visibility = "private" | "shared";

/** `POST /api/v1/conversations/:id/members`: takes a person into a shared conversation. */
export const memberBody = z.strictObject({ person: z.string().min(1).max(64) });

/** Answer to `GET /api/v1/conversations/:id/members`: who is in a shared conversation, the first one first. */
export interface MembersList {
  readonly members: readonly Member[];
}

/** Answer to `GET /api/v1/conversations/:id/owners`: whom a card may be handed to. */
export interface OwnersList {
  readonly owners: readonly Pick<Member, "id" | "name">[];
}

export interface Member {
  readonly id: string;
  readonly name: string;
  /** Principal who took them in. */
  readonly addedBy: string;
  readonly addedAt: number;
}

/** `PATCH /api/v1/conversations/:id` */
export const settingsBody = z.strictObject({
  title: unitsText(MAX_TITLE_UNITS, 1, z.string().trim()).optional(),
  model: z.string().min(1).max(200).optional(),
  thinking: z.enum(["off", "low", "medium", "high"]).optional(),
  /** Kind of the persona that answers. */
  persona: z.string().min(1).max(32).optional(),
  /** Switches tools of this conversation on or off, by name. */
  tools: z.record(z.string().min(1).max(64), z.boolean()).optional(),
});

export type SettingsBody = z.infer<typeof settingsBody>;

const entryId = z.number().int().positive();

/** `POST /api/v1/conversations/:id/rewind`: goes back to an entry (0: to the start). 409 `busy` while something is live. */
export const rewindBody = z.strictObject({ to: z.number().int().nonnegative() });

/** `POST /api/v1/conversations/:id/fork`: a new conversation under the client's UUID, with everything up to entry `at`. */
export const forkBody = z.strictObject({ id: z.uuid(), at: entryId });

/** `POST /api/v1/conversations/:id/pin` */
export const pinBody = z.strictObject({ entry: entryId, on: z.boolean() });

/** `POST /api/v1/conversations/:id/entries/:entry/replay`: the same request to another model; nothing is stored. */
export const replayBody = z.strictObject({ model: z.string().min(1).max(200) });

/** `POST /api/v1/conversations/:id/constraints`: the id is the client's UUID, so a retry adds nothing twice. */
export const constraintBody = z.strictObject({
  id: z.uuid(),
  tools: z.array(z.string().min(1).max(64)).min(1).max(MAX_CONSTRAINT_TOOLS),
  effect: z.enum(["ask", "never"]),
  text: unitsText(MAX_CONSTRAINT_UNITS, 1, z.string().trim()),
});

export type ConstraintBody = z.infer<typeof constraintBody>;

export type PinBody = z.infer<typeof pinBody>;

/** `GET /api/v1/conversations/:id/entries/:entry/request`: exactly what was sent for this answer. */
export interface SentRequest {
  readonly model: string;
  readonly thinking: ThinkingLevel;
  readonly system: string;
  readonly volatile: string;
  readonly tools: readonly { readonly name: string; readonly description: string; readonly parameters: Json }[];
  /** Without the vendors' own blocks. */
  readonly messages: readonly Message[];
  /** The newest entry that the request includes. */
  readonly cutoff: number;
}

/** Answer to a replay. */
export type ReplayAnswer =
  | { readonly ok: true; readonly message: Message; readonly usage: Usage; readonly ms: number }
  | { readonly ok: false; readonly error: string };

/** `GET /api/v1/me` */
export interface Me {
  readonly principal: {
    readonly id: string;
    readonly name: string;
    readonly tier: string;
    /** Ids of those who became one with this person: what they said is this person's. */
    readonly formerly?: readonly string[] | undefined;
  };
  readonly models: readonly ModelChoice[];
  /** The model that a new conversation starts with. */
  readonly defaultModel: string;
  /** Who may answer, where people choose; a new conversation has `defaultPersona`. */
  readonly personas: readonly { readonly kind: string; readonly label: string }[];
  readonly defaultPersona: string;
  readonly limits: {
    readonly textUnits: number;
    readonly filesPerMessage: number;
    readonly fileBytes: number;
    readonly titleUnits: number;
  };
}

export interface ModelChoice {
  /** `<provider>/<model>` */
  readonly id: string;
  readonly label: string;
  readonly thinking: readonly ThinkingLevel[];
  readonly images: boolean;
  /** True for the built-in demo model. */
  readonly demo: boolean;
}

/** One row of `GET /api/v1/conversations` (`{ conversations, next? }`, newest activity first, `?before=<cursor>&limit=`). */
export interface ConversationSummary {
  /** The UUID, without the `web:` prefix. */
  readonly id: string;
  readonly visibility: Visibility;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** `waiting`: a card waits for a decision. */
  readonly state: "idle" | "running" | "waiting" | "failed";
  readonly usage: Usage;
  /** Something happened since one saw it last. What one never looked at is not marked. */
  readonly unread: boolean;
}

/** Body of every refusal. */
export interface ErrorBody {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly ref?: string };
}

/** HTTP status of each code. */
export const STATUS_OF: Readonly<Record<ErrorCode, number>> = {
  bad_frame: 400,
  bad_request: 400,
  too_large: 413,
  rate_limited: 429,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  inbox_full: 429,
  unknown_attachment: 422,
  unknown_hold: 404,
  unknown_prompt: 404,
  changed: 409,
  already_decided: 409,
  expired: 410,
  already_placed: 409,
  settled: 409,
  nothing_to_do: 409,
  busy: 409,
  unavailable: 503,
  internal: 500,
};
