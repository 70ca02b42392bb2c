import { describe, expect, it } from "vitest";
import { sealCall } from "../../../src/holds/bound/call-seal.ts";
import { openHold } from "../../../src/holds/record/open-hold.ts";
import { MAX_PERSON_NAME_UNITS, recordBytes } from "../../../src/holds/record/record.ts";
import { findJsonFault } from "../../../src/lib/json.ts";
import { ANNA, HOUR, makeCall, makeDescription, makeHold, makeRequest, T0 } from "../make.ts";

describe("openHold", () => {
  it("[H-14] keeps what the card, the audience and the digest need, as plain JSON", () => {
    const hold = makeHold();
    expect(hold).toEqual({
      status: "open",
      id: "01k9000000000000000000000a",
      task: 7,
      origin: 7,
      entry: 12,
      index: 0,
      tool: "send_webhook",
      ...sealCall(makeCall()),
      text: "POST JSON to the build server",
      target: "the build server",
      ruleId: "webhook",
      speaker: ANNA,
      minTier: "member",
      approvers: null,
      approval: null,
      askedAt: T0,
      deadline: T0 + 24 * HOUR,
      remindedAt: null,
    });
    expect(findJsonFault(hold)).toBeUndefined();
  });

  it("[H-15] takes a record of 3,072 bytes and refuses one byte more, naming the limit", () => {
    const room = 3_072 - recordBytes(makeHold({ description: makeDescription({ text: "" }) }));
    const withText = (bytes: number) =>
      openHold(makeRequest({ description: makeDescription({ text: "x".repeat(bytes) }) }));
    expect(withText(room).ok).toBe(true);
    const refused = withText(room + 1);
    expect(refused).toMatchObject({ ok: false, error: { code: "hold_too_large" } });
    expect(refused.ok ? "" : refused.error.text).toMatch(/3073 bytes, the limit is 3072.*Shorten/);
  });

  it("[H-15] counts bytes, not characters", () => {
    const text = "語".repeat(1_000);
    expect(openHold(makeRequest({ description: makeDescription({ text }) }))).toMatchObject({ ok: false });
  });

  it("[H-15] keeps only the beginning of a very long name", () => {
    const hold = makeHold({ speaker: { principalId: "p_anna", name: "n".repeat(5_000) } });
    expect(hold.speaker).toEqual({ principalId: "p_anna", name: "n".repeat(MAX_PERSON_NAME_UNITS) });
  });

  it("[H-16] takes the 50th open hold and refuses the 51st, naming the limit", () => {
    expect(openHold(makeRequest({ openCount: 49 })).ok).toBe(true);
    const refused = openHold(makeRequest({ openCount: 50 }));
    expect(refused).toMatchObject({ ok: false, error: { code: "too_many_holds" } });
    expect(refused.ok ? "" : refused.error.text).toMatch(/the limit is 50/);
  });
});
