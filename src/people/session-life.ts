const DAY_MS = 24 * 60 * 60 * 1000;

/** A session that was not seen for this long has ended. */
export const SESSION_IDLE_MS = 30 * DAY_MS;
/** A session this old has ended, however busy. */
export const SESSION_ABSOLUTE_MS = 90 * DAY_MS;
/** `last_seen_at` is written at most this often. */
export const SEEN_EVERY_MS = 60 * 60 * 1000;

/** What cannot be taken back by oneself takes a sign-in that is not older than this. */
export const FRESH_SIGN_IN_MS = 10 * 60 * 1000;

/** Times of a session in ms since 1970. */
export interface SessionTimes {
  readonly createdAt: number;
  readonly lastSeenAt: number;
  readonly revokedAt: number | null;
  /** End of the access token that the session is made of; null or absent: it is a browser's. */
  readonly expiresAt?: number | null;
}

/** When the session ends; undefined when it was revoked or never was. */
export function sessionEndsAt(session: SessionTimes | null): number | undefined {
  if (session === null || session.revokedAt !== null) return undefined;
  const tokenEndsAt = session.expiresAt ?? Number.POSITIVE_INFINITY;
  return Math.min(session.lastSeenAt + SESSION_IDLE_MS, session.createdAt + SESSION_ABSOLUTE_MS, tokenEndsAt);
}

/** Whether this use of a live session should be noted. */
export function isSeenDue(session: SessionTimes | null, now: number): boolean {
  const endsAt = sessionEndsAt(session);
  return session !== null && endsAt !== undefined && now < endsAt && now - session.lastSeenAt >= SEEN_EVERY_MS;
}

/** Whether somebody has signed in only just now: being at an open browser is not enough for what they are about to do. */
export function isFreshSignIn(session: SessionTimes | null, now: number): boolean {
  const endsAt = sessionEndsAt(session);
  return session !== null && endsAt !== undefined && now < endsAt && now - session.createdAt <= FRESH_SIGN_IN_MS;
}
