import { invite, uninvite } from "../../auth/invitation.ts";
import { invitationsShape, inviteBody, invitedShape } from "../../protocol/people.ts";
import { listInvitations } from "../../store/invitations.ts";
import { json, noContent } from "../answers.ts";
import { Refuse } from "../refusal.ts";
import { signedInRoute } from "../route.ts";
import { nothing } from "../shapes.ts";
import { requireOwner } from "./people.ts";

export const openInvitations = signedInRoute({
  method: "GET",
  path: "/api/v1/people/invitations",
  summary: "Invitations that can still be spent, for owners.",
  answers: { 200: invitationsShape },
  async handle(call) {
    requireOwner(call);
    const open = await listInvitations(call.db, call.now);
    return json({
      invitations: open.map(({ id, tier, createdBy, createdAt, expiresAt }) => ({
        id,
        tier,
        createdBy,
        createdAt,
        expiresAt,
      })),
    });
  },
});

export const makeInvitation = signedInRoute({
  method: "POST",
  path: "/api/v1/people/invitations",
  summary: "Makes a one-time invitation, good for 7 days; for owners. The code is shown this once.",
  body: inviteBody,
  answers: { 201: invitedShape },
  async handle(call) {
    requireOwner(call);
    const { db, now, deps, caller, body } = call;
    const { provisioning } = deps.config.people;
    const made = await invite({ db, now, random: deps.random }, provisioning, {
      actor: caller.principalId,
      tier: body.tier,
    });
    if (!made.ok) throw new Refuse(made.error);
    return json(made.value, 201);
  },
});

export const revokeInvitation = signedInRoute({
  method: "POST",
  path: "/api/v1/people/invitations/:invitation/revoke",
  summary: "Takes an open invitation back; for owners.",
  body: nothing,
  answers: { 204: "empty" },
  async handle(call) {
    requireOwner(call);
    const { db, now, deps, caller } = call;
    const taken = await uninvite(
      { db, now, random: deps.random },
      { actor: caller.principalId, invitation: call.param("invitation") },
    );
    if (!taken.ok) throw new Refuse(taken.error);
    return noContent();
  },
});
