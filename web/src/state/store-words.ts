/** What the stores hold of a person, as people call it. */
const STORES: Readonly<Record<string, string>> = {
  identities: "sign-ins",
  sessions: "sessions",
  link_codes: "link codes",
  invitations: "invitations that were used",
  rate_windows: "counters of tries",
  conversation_members: "memberships in shared conversations",
  open_cards: "cards that wait",
  private_conversations: "private conversations, with files",
  wallet: "record of what was spent",
  notices: "notices",
  seen: "marks of what was read",
};

/** How much one store holds, in words. */
export function storeWords({ store, found }: { readonly store: string; readonly found: number }): string {
  return `${found} ${STORES[store] ?? store}`;
}
