import type { JSX } from "preact";
import { readIdentity } from "../../state/identity.ts";

/** An identity: how its provider shows the person, who the provider is, and the subject that alone counts. */
export function IdentityName({ id, display }: { readonly id: string; readonly display: string }): JSX.Element {
  const { provider, subject } = readIdentity(id);
  return (
    <span class="identity-name">
      {display === "" ? null : (
        <b>
          <bdi>{display}</bdi>
        </b>
      )}
      <span class="quiet">
        <bdi>{provider}</bdi>, <bdi>{subject}</bdi>
      </span>
    </span>
  );
}
