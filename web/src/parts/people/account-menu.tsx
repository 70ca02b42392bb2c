import type { JSX } from "preact";
import { Icon } from "../icons.tsx";
import { Menu, MenuItem } from "../menu.tsx";
import { useSurroundings } from "../use-app.ts";
import { SpendingNote } from "./spending-note.tsx";

/** Who is signed in, and the ways out. */
export function AccountMenu(): JSX.Element {
  const { app, notifier } = useSurroundings();
  const me = app.me.value;
  const name = me?.principal.name ?? "…";
  return (
    <div class="account">
      <Menu
        faceClass="account-button"
        face={
          <>
            <Icon name="user" size={18} />
            <span class="visually-hidden">Account: </span>
            <span class="account-name">
              <bdi>{name}</bdi>
            </span>
            <span class="account-tier">{me?.principal.tier ?? ""}</span>
          </>
        }
      >
        <SpendingNote />
        {notifier.status.value === "askable" ? (
          <MenuItem icon="bell" onPick={() => void notifier.ask()}>
            Notify me of approvals
          </MenuItem>
        ) : null}
        <MenuItem icon="key" onPick={() => (app.account.panel.value = "sign-ins")}>
          Your sign-ins
        </MenuItem>
        {me?.principal.tier === "owner" ? (
          <MenuItem icon="people" onPick={() => (app.account.panel.value = "people")}>
            People
          </MenuItem>
        ) : null}
        {me?.principal.tier === "owner" ? (
          <MenuItem icon="past" onPick={() => window.location.assign("#audit")}>
            What was decided
          </MenuItem>
        ) : null}
        <MenuItem icon="leave" onPick={() => void app.signOut(false)}>
          Sign out
        </MenuItem>
        <MenuItem icon="leave" onPick={() => void app.signOut(true)}>
          Sign out everywhere
        </MenuItem>
      </Menu>
    </div>
  );
}
