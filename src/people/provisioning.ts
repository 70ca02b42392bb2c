import type { Config } from "../protocol/config.ts";

/** How somebody may be admitted whose identity belongs to nobody. */
export interface Admission {
  /** Their tier without an invitation; undefined: they are not admitted. */
  readonly tier: "guest" | "member" | "owner" | undefined;
  /** Whether an invitation counts. */
  readonly invitation: boolean;
}

/** What the operator's configuration lets an unknown identity become. Pure; looks at the identity alone. */
export function decideAdmission(people: Config["people"], identity: string): Admission {
  if (people.owners.includes(identity)) return { tier: "owner", invitation: false };
  switch (people.provisioning) {
    case "closed":
      return { tier: undefined, invitation: false };
    case "invite":
      return { tier: undefined, invitation: true };
    case "guest":
    case "member":
      return { tier: people.provisioning, invitation: true };
  }
}
