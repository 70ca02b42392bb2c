/** What a store holds of a person, as people call it. */
export function storeName(store: string): string {
  return STORES[store] ?? store.replaceAll("_", " ");
}

const STORES: Readonly<Record<string, string>> = {
  identities: "Sign-ins",
  sessions: "Sessions",
  link_codes: "Link codes",
  invitations: "Invitations that were used",
  rate_windows: "Counters of tries",
  conversation_members: "Memberships in shared conversations",
  open_cards: "Cards that wait",
  private_conversations: "Private conversations, with files",
  wallet: "Records of what was spent",
  notices: "Notices",
  seen: "Marks of what was read",
  shared_conversations: "Shared conversations looked through",
  entries: "Messages in shared conversations",
  files_in_shared: "Files in shared conversations",
};

/** How much one store holds, in words. */
export function storeWords({ store, found }: { readonly store: string; readonly found: number }): string {
  return `${storeName(store)}: ${found}`;
}
