import { expect, it } from "vitest";
import { AUDIT_EVENTS } from "../../../src/protocol/audit-events.ts";
import { conversationOf, describeLine, eventWords } from "../../../web/src/state/audit.ts";
import { panelOf } from "../../../web/src/state/route.ts";
import { makeChain } from "../../kit/make-chain.ts";

it("[L-92] a line says what was done, who did it under the name of today, and why", () => {
  const [approved, refused, counted, expired] = makeChain("web:c1", [
    { event: "approved", by: "p_ada", tier: "owner" },
    { event: "refused", by: "p_gone", tier: "member", reason: "only_owners" },
    { event: "refused", by: "p_ada", tool: null, reason: "counted", count: 7 },
    { event: "expired" },
  ]);
  const names = { p_ada: "Ada Lovelace" };
  expect([approved, refused, counted, expired].map((line) => line && describeLine(line, names))).toEqual([
    { what: "Approved: send_webhook", who: "Ada Lovelace (owner)", why: undefined },
    { what: "Refused press: send_webhook", who: "p_gone (member)", why: "only owners" },
    { what: "Refused press", who: "Ada Lovelace", why: "7 more, only counted" },
    { what: "Expired: send_webhook", who: undefined, why: undefined },
  ]);
  expect(approved && conversationOf(approved)).toBe("c1");
});

it("[L-92] every event has words of its own, and the address opens the list and nothing else", () => {
  const words = AUDIT_EVENTS.map(eventWords);
  expect(new Set(words).size).toBe(words.length);
  expect(words.join(" ")).not.toContain("_");
  expect([panelOf("#audit"), panelOf(""), panelOf("#sign-in=failed")]).toEqual(["audit", undefined, undefined]);
});
