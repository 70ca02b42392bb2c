import { err, ok, type Result } from "../lib/result.ts";
import type { PersonRecord } from "../store/people.ts";
import type { PersonChange } from "../store/person-changes.ts";
import type { Refused } from "./may-act.ts";

/** What comes of a change: nothing, because it is so already, or a line of audit and whether another owner must be left. */
export type ChangePlan =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "write";
      readonly action: string;
      readonly detail: { readonly [name: string]: string };
      readonly needsOtherOwner: boolean;
    };

export const LAST_OWNER: Refused = {
  code: "forbidden",
  message: "This is the only owner of this deployment. Let somebody else become an owner first.",
};

export const CONFIGURED: Refused = {
  code: "forbidden",
  message: "The configuration makes this person an owner. Take their identity out of people.owners first.",
};

export const ERASED: Refused = {
  code: "conflict",
  message: "This person was erased. Nothing of them is left that could be changed.",
};

export const MERGED: Refused = {
  code: "conflict",
  message: "This person became one with somebody else: what they are is changed there.",
};

/** Rules on an owner's change of a person. Pure. @param otherOwners enabled owners apart from this person. */
export function decideChange(
  person: PersonRecord,
  change: PersonChange,
  otherOwners: number,
): Result<ChangePlan, Refused> {
  if (person.erasedAt !== null) return err(ERASED);
  if (person.mergedInto !== null) return err(MERGED);
  const isOwner = person.tier === "owner" && person.disabledAt === null;
  switch (change.kind) {
    case "tier": {
      if (person.tier === change.tier) return ok({ kind: "nothing" });
      if (person.configuredOwner) return err(CONFIGURED);
      const detail = { from: person.tier, to: change.tier };
      return plan("tier", detail, isOwner, otherOwners);
    }
    case "disable":
      if (person.disabledAt !== null) return ok({ kind: "nothing" });
      return plan("disable", {}, isOwner, otherOwners);
    case "enable":
      if (person.disabledAt === null) return ok({ kind: "nothing" });
      return plan("enable", {}, false, otherOwners);
    case "unlink": {
      const known = person.identities.map(({ id }) => id);
      if (!known.includes(change.identity)) {
        return err({ code: "not_found", message: "This person has no such identity." });
      }
      return plan("unlink", { identity: change.identity }, isOwner && known.length === 1, otherOwners);
    }
  }
}

function plan(
  action: string,
  detail: { readonly [name: string]: string },
  needsOtherOwner: boolean,
  otherOwners: number,
): Result<ChangePlan, Refused> {
  if (needsOtherOwner && otherOwners === 0) return err(LAST_OWNER);
  return ok({ kind: "write", action, detail, needsOtherOwner });
}
