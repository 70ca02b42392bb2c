import * as z from "zod";
import { MAX_PAGE_ENTRIES } from "./limits.ts";

const identityId = z.string().min(1).max(512);
const linkCode = z.string().min(1).max(64);
const pageLimit = z.coerce.number().int().min(1).max(MAX_PAGE_ENTRIES).default(50);

/** `GET /api/v1/people`, `GET /api/v1/people/audit`: `before` is the `next` of the page before. */
export const peoplePageQuery = z.strictObject({ before: z.string().min(1).max(128).optional(), limit: pageLimit });

/** `POST /api/v1/people/:person/tier` */
export const tierBody = z.strictObject({ tier: z.enum(["guest", "member", "admin"]) });

/** `POST /api/v1/people/:person/unlink`, `POST /api/v1/me/identities/unlink` */
export const unlinkBody = z.strictObject({ identity: identityId });

/** `POST /api/v1/me/link-codes`: what a code would link. */
export const linkCodeBody = z.strictObject({ code: linkCode });

/** `POST /api/v1/me/link-codes/confirm`: the identity is the one that the preview named. */
export const confirmLinkBody = z.strictObject({ code: linkCode, identity: identityId });

/** `POST /api/v1/people/invitations` */
export const inviteBody = z.strictObject({ tier: z.enum(["guest", "member", "admin"]) });

/** `POST /auth/invitation` */
export const invitationBody = z.strictObject({ code: z.string().regex(/^[0-9A-Za-z -]{26,64}$/) });

/** `GET /auth/:name/start`: `return` is a path of the page. */
export const startQuery = z.strictObject({
  intent: z.enum(["sign-in", "link"]).default("sign-in"),
  return: z.string().max(200).optional(),
});

/** `GET /api/v1/sign-in`: a button each, leading to `/auth/<name>/start`. */
export const signInShape = z.object({ providers: z.array(z.object({ name: z.string(), label: z.string() })) });

/** An invitation that can still be spent. */
export const invitationsShape = z.object({
  invitations: z.array(
    z.object({
      id: z.string(),
      tier: z.string(),
      createdBy: z.string(),
      createdAt: z.number(),
      expiresAt: z.number(),
    }),
  ),
});

/** Answer to making one: the code is shown this once. */
export const invitedShape = z.object({ id: z.string(), code: z.string(), expiresAt: z.number() });

/** A way in which a person is recognised. Times in ms since 1970. */
export const identityShape = z.object({
  /** `<provider>:<subject>` */
  id: z.string(),
  /** How the provider shows the person; may be empty. */
  display: z.string(),
  linkedAt: z.number(),
  lastSeenAt: z.number().optional(),
});

/** A person, as owners see them. */
export const personShape = z.object({
  id: z.string(),
  name: z.string(),
  tier: z.enum(["guest", "member", "admin", "owner"]),
  createdAt: z.number(),
  lastSeenAt: z.number().optional(),
  /** Absent: the person may enter. */
  disabledAt: z.number().optional(),
  /** Nothing is left of the person but this line. */
  erasedAt: z.number().optional(),
  /** Who this person became one with, and when; `finishedAt` is absent until everything of theirs was moved. */
  mergedInto: z
    .object({ id: z.string(), name: z.string(), at: z.number(), finishedAt: z.number().optional() })
    .optional(),
  /** Not seen for 90 days. */
  stale: z.boolean(),
  identities: z.array(identityShape),
});

export const peopleShape = z.object({ people: z.array(personShape), next: z.string().optional() });

/** A change of a person: who, what, about whom (principals), and by name from what to what. */
export const auditLineShape = z.object({
  id: z.string(),
  at: z.number(),
  actor: z.string(),
  /** The names that the two have now; absent for whoever is no person, as the configuration. */
  actorName: z.string().optional(),
  targetName: z.string().optional(),
  /** Of two who became one: what whoever stayed is called now. */
  intoName: z.string().optional(),
  action: z.string(),
  target: z.string(),
  detail: z.record(z.string(), z.string()),
});

export const auditShape = z.object({ lines: z.array(auditLineShape), next: z.string().optional() });

/** `GET /api/v1/me/identities` */
export const ownIdentitiesShape = z.object({
  identities: z.array(
    identityShape.extend({ /** The one that this session is signed in with. */ current: z.boolean() }),
  ),
});

/** `POST /api/v1/me/identities/pending`: links what the page showed. */
export const confirmPendingBody = z.strictObject({ identity: identityId });

/** Answer to a link code, and `GET /api/v1/me/identities/pending`: what would be linked, and to whom. */
export const linkPreviewShape = z.object({
  identity: z.object({ id: z.string(), display: z.string() }),
  to: z.object({ name: z.string(), identity: z.string() }),
});

export type OwnIdentity = z.output<typeof ownIdentitiesShape>["identities"][number];
export type LinkPreview = z.output<typeof linkPreviewShape>;
export type Person = z.output<typeof personShape>;
export type PeoplePage = z.output<typeof peopleShape>;
export type Invitation = z.output<typeof invitationsShape>["invitations"][number];
export type Invited = z.output<typeof invitedShape>;
export type AuditLine = z.output<typeof auditLineShape>;
export type AuditPage = z.output<typeof auditShape>;
/** A tier that an owner may give. */
export type GivenTier = z.output<typeof tierBody>["tier"];
