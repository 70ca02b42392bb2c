import type { JSX } from "preact";
import { Mark } from "../icons.tsx";
import { useApp } from "../use-app.ts";

/** A conversation that cannot be shown, and why. */
export function EndedState({ why }: { readonly why: "signed_out" | "forbidden" | "gone" }): JSX.Element {
  const app = useApp();
  return (
    <div class="empty-state">
      <Mark size={52} />
      <p class="empty-title">
        {why === "gone" ? "There is no such conversation" : "You may not see this conversation"}
      </p>
      <p class="quiet">
        {why === "gone"
          ? "It was deleted, or the address is wrong."
          : "Your access to it ended, or it belongs to somebody else."}
      </p>
      <button type="button" class="button primary" onClick={() => app.openChat(undefined)}>
        Start a new conversation
      </button>
    </div>
  );
}
