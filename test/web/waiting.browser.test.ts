import { describe, expect, it } from "vitest";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

describe("what waits, and what was decided", () => {
  const { world, open } = visitWorld(makeRealWorld);

  it("[L-90] [L-91] [L-40] a card of another conversation is counted, and reached by keyboard alone", async () => {
    await using visit = await open();
    const { page, faults } = visit;
    await page.getByRole("button", { name: "Waiting for you 0" }).waitFor();
    await say(page, "Send the build webhook");
    await page.locator(".card").waitFor();
    await page.getByRole("button", { name: "Waiting for you 1" }).waitFor();
    const asked = page.url();
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.waitForURL(`${world().url}/chat`);
    await page.getByRole("button", { name: "Waiting for you 1" }).focus();
    await page.keyboard.press("Enter");
    const list = page.getByRole("dialog", { name: "Waiting for you" });
    await list.getByRole("button", { name: /the build server.*send_webhook.*left/ }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL(asked);
    await page.locator(".card:focus").waitFor();
    await page.getByRole("button", { name: "Decline", exact: true }).click();
    await page.getByRole("button", { name: "Waiting for you 0" }).waitFor();
    await rest(page);
    expect(faults).toEqual([]);
  });

  it("[L-92] owners read who decided what under #audit, narrow it and take it away; closing leaves the address", async () => {
    await using visit = await open(PHONE);
    const { page, faults } = visit;
    await say(page, "Send the build webhook");
    await page.getByRole("button", { name: "Decline", exact: true }).click();
    await rest(page);
    await page.goto(`${world().url}/chat#audit`);
    const list = page.getByRole("dialog", { name: "What was decided" });
    await list.getByText("Declined: send_webhook").first().waitFor();
    await list.getByText("Opened: send_webhook").first().waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await list.getByLabel("Event").selectOption("declined");
    await list.locator(".audit-line.opened").first().waitFor({ state: "detached" });
    await list
      .locator(".audit-line.declined", { hasText: /by .* \(owner\)/ })
      .first()
      .waitFor();
    const download = page.waitForEvent("download");
    await list.getByRole("link", { name: "Download all" }).click();
    expect((await download).suggestedFilename()).toBe("audit.ndjson");
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "detached" });
    expect(page.url()).toBe(`${world().url}/chat`);
    expect(faults).toEqual([]);
  });
});
