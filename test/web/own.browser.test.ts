import { describe, expect, it } from "vitest";
import { until } from "../kit/until.ts";
import { makeMockWorld } from "./mock-world.ts";
import { visitWorld } from "./visit-world.ts";

describe("what is one's own", () => {
  const { world, door } = visitWorld(makeMockWorld);

  it("[L-101] notices are counted, opened by keyboard, lead somewhere, and are read once closed", async () => {
    const { house } = world().server;
    house.notices = [
      { id: "b", at: Date.now(), text: "A call of send_webhook waits.", link: "/chat/x", read: false },
      { id: "a", at: Date.now() - 1_000, text: "<img src=x> 50 % is spent.", link: null, read: false },
    ];
    await using visited = await door().open();
    const { page, faults } = visited;
    const button = page.getByRole("button", { name: "Notices, 2 unread" });
    await button.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Notices" });
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
      expect.stringContaining("A call of send_webhook waits."),
      expect.stringContaining("<img src=x> 50 % is spent."),
    ]);
    expect(await dialog.getByRole("link").getAttribute("href")).toBe("/chat/x");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Notices", exact: true }).waitFor();
    expect(house.notices.every(({ read }) => read)).toBe(true);
    expect(faults).toEqual([]);
  });

  it("[L-102] the account menu says what was spent, by oneself and by everybody", async () => {
    await using visited = await door().open();
    const { page } = visited;
    await page.locator(".account-button").click();
    await page.getByText("You: $0.12 of $5.00 today, $1.40 this month").waitFor();
    await page.getByText("Everybody: $0.12 of $5.00 today, $1.40 this month").waitFor();
  });

  it("[L-100] a conversation is marked once something happened since it was seen, and not while it is open", async () => {
    const { house } = world().server;
    await using visited = await door().open();
    const { page } = visited;
    await page.locator("#composer").fill("23 * 17.5");
    await page.keyboard.press("Enter");
    await page.locator(".row.open").waitFor();
    const id = page.url().split("/").at(-1) ?? "";
    const room = house.rooms.get(id);
    if (!room) throw new Error("there is no conversation");
    await until(
      () => room.conversation.view.turn === null && house.seen.get(id) === room.conversation.rev,
      "it to be seen",
    );
    await page.locator(".new-chat").click();
    room.conversation.commit(["s", ["plugins", "chat", "title"], "Renamed elsewhere"]);
    await page.reload();
    await page.getByRole("link", { name: "Renamed elsewhere (new)" }).click();
    await until(() => house.seen.get(id) === room.conversation.rev, "it to be seen again");
    await page.locator(".new-chat").click();
    await until(async () => (await page.getByText("(new)").count()) === 0, "the mark to go");
  });
});
