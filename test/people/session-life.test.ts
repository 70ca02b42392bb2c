import { describe, expect, it } from "vitest";
import { isSeenDue, sessionEndsAt } from "../../src/people/session-life.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

describe("the life of a session", () => {
  it("[U-4] ends 30 days after it was last seen", () => {
    expect(sessionEndsAt({ createdAt: 0, lastSeenAt: 5 * DAY, revokedAt: null })).toBe(35 * DAY);
  });

  it("[U-4] ends 90 days after it was made, however lately it was seen", () => {
    expect(sessionEndsAt({ createdAt: 0, lastSeenAt: 89 * DAY, revokedAt: null })).toBe(90 * DAY);
  });

  it("[U-69] of an access token ends with it, and never later than any other", () => {
    const times = { createdAt: 0, lastSeenAt: 0, revokedAt: null };
    expect(sessionEndsAt({ ...times, expiresAt: HOUR })).toBe(HOUR);
    expect(sessionEndsAt({ ...times, expiresAt: 200 * DAY })).toBe(30 * DAY);
    expect(isSeenDue({ ...times, expiresAt: HOUR }, HOUR)).toBe(false);
  });

  it("[U-4] has no end when it was revoked or never was", () => {
    expect(sessionEndsAt({ createdAt: 0, lastSeenAt: 0, revokedAt: 1 })).toBeUndefined();
    expect(sessionEndsAt(null)).toBeUndefined();
  });

  it("[U-5] is noted after an hour, not before, and not after its end", () => {
    const session = { createdAt: 0, lastSeenAt: 0, revokedAt: null };
    expect(isSeenDue(session, HOUR - 1)).toBe(false);
    expect(isSeenDue(session, HOUR)).toBe(true);
    expect(isSeenDue(session, 30 * DAY)).toBe(false);
    expect(isSeenDue({ ...session, revokedAt: 1 }, 2 * HOUR)).toBe(false);
    expect(isSeenDue(null, HOUR)).toBe(false);
  });
});
