/** Identities of one person. */
export const MAX_IDENTITIES = 10;
