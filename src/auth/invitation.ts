import { err, ok, type Result } from "../lib/result.ts";
import { ulid } from "../lib/ulid.ts";
import type { Refused } from "../people/may-act.ts";
import type { Provisioning } from "../protocol/config.ts";
import { deleteInvitation, type InvitationRow, writeInvitation } from "../store/invitations.ts";
import { hashCode, newCode } from "./code.ts";
import type { SignInPorts } from "./sign-in.ts";

const CODE_BITS = 128;
const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;
const MAX_OPEN = 100;

/** Makes a one-time invitation. Its code is shown once, to the owner who made it. */
export async function invite(
  { db, now, random }: SignInPorts,
  provisioning: Provisioning,
  { actor, tier }: { readonly actor: string; readonly tier: InvitationRow["tier"] },
): Promise<Result<{ readonly id: string; readonly code: string; readonly expiresAt: number }, Refused>> {
  if (provisioning === "closed") {
    return err({
      code: "forbidden",
      message: 'Nobody new is admitted here. Set people.provisioning to "invite" in althing.config.ts first.',
    });
  }
  const code = newCode(CODE_BITS, random);
  const [id, expiresAt] = [ulid(now, random), now + INVITATION_MS];
  const row = { id, hash: await hashCode(code), tier, createdBy: actor, createdAt: now, expiresAt };
  const audit = {
    id: ulid(now, random),
    at: now,
    actor,
    action: "invite",
    target: actor,
    detail: { invitation: id, tier },
  };
  if (await writeInvitation(db, row, { limit: MAX_OPEN, audit })) return ok({ id, code, expiresAt });
  return err({
    code: "forbidden",
    message: `There are ${MAX_OPEN} open invitations, which is the most. Take one back first.`,
  });
}

/** Takes an open invitation back. */
export async function uninvite(
  { db, now, random }: SignInPorts,
  { actor, invitation }: { readonly actor: string; readonly invitation: string },
): Promise<Result<void, Refused>> {
  const audit = { id: ulid(now, random), at: now, actor, action: "uninvite", target: actor, detail: { invitation } };
  if (await deleteInvitation(db, invitation, audit)) return ok(undefined);
  return err({ code: "not_found", message: "There is no such open invitation." });
}
