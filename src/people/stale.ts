const STALE_AFTER_MS = 90 * 24 * 60 * 60 * 1000;

/** Whether a person has been away so long that an owner should look whether they still belong here. Times in ms. */
export function isStale(lastSeenAt: number | null, now: number): boolean {
  return lastSeenAt === null || now - lastSeenAt >= STALE_AFTER_MS;
}
