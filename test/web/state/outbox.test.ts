import { describe, expect, it } from "vitest";
import {
  addWritten,
  dropItem,
  dueItems,
  markLost,
  markReceived,
  markRefused,
  markSent,
  type Outbox,
  retryItem,
  settleOutbox,
} from "../../../web/src/state/outbox.ts";
import { makeView, NOW, userEntry } from "./sample-view.ts";

const written = (id: string) => ({ id, text: `text of ${id}`, files: [], at: NOW });
const two: Outbox = addWritten(addWritten([], written("a")), written("b"));

describe("outbox", () => {
  it("[L-13] keeps order and ids, and adds a message once", () => {
    expect(dueItems(addWritten(two, written("a"))).map((item) => item.id)).toEqual(["a", "b"]);
  });

  it("[L-13] what is sent is not due again until the connection is lost", () => {
    const sent = markSent(two, "a");
    expect(dueItems(sent).map((item) => item.id)).toEqual(["b"]);
    expect(dueItems(markLost(sent)).map((item) => item.id)).toEqual(["a", "b"]);
    expect(markLost(two)).toBe(two);
  });

  it("[L-13] a receipt ends the waiting; an accepted message is never sent again", () => {
    const accepted = markReceived(markSent(two, "a"), { id: "a", status: "placed" });
    expect(dueItems(markLost(accepted)).map((item) => item.id)).toEqual(["b"]);
    expect(accepted[0]?.status).toBe("accepted");
    expect(markReceived(two, { id: "a", status: "done" }).map((item) => item.id)).toEqual(["b"]);
    expect(markReceived(two, { id: "other", status: "placed" })).toBe(two);
  });

  it("[L-13] a message goes when the view shows it, and accepted ones at the latest with the next whole view", () => {
    const accepted = markReceived(two, { id: "a", status: "placed" });
    const view = makeView({ entries: [userEntry(1, "x", "p_1:b")] });
    expect(settleOutbox(accepted, view, false).map((item) => item.id)).toEqual(["a"]);
    expect(settleOutbox(accepted, view, true)).toEqual([]);
    const queued = makeView({
      inbox: [{ input: "p_1:a", actor: "p_1", mode: "queue", text: "x", files: 0, at: NOW }],
    });
    expect(settleOutbox(two, queued, false).map((item) => item.id)).toEqual(["b"]);
    expect(settleOutbox(two, makeView(), true)).toBe(two);
  });

  it("[L-14] a refused message stays with the reason, and goes out again only on request", () => {
    const refused = markRefused(markSent(two, "a"), { ref: "a", code: "inbox_full", message: "The inbox is full." });
    expect(refused[0]).toMatchObject({ status: "refused", code: "inbox_full", message: "The inbox is full." });
    expect(dueItems(markLost(refused)).map((item) => item.id)).toEqual(["b"]);
    expect(dueItems(retryItem(refused, "a")).map((item) => item.id)).toEqual(["a", "b"]);
    expect(dropItem(refused, "a").map((item) => item.id)).toEqual(["b"]);
    expect(markRefused(two, { ref: "x", code: "internal", message: "" })).toBe(two);
    expect(retryItem(two, "a")).toBe(two);
  });
});
