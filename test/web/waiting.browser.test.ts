import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { until } from "../kit/until.ts";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

/** Opens the list once this many wait. */
async function openTray(page: Page, count: number): Promise<Locator> {
  const drawer = page.getByRole("button", { name: "Open the list of conversations" });
  if (await drawer.isVisible()) await drawer.click();
  await page.getByRole("button", { name: `Waiting for you ${count}` }).click();
  return page.getByRole("dialog", { name: "Waiting for you" });
}

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

  it("[L-165] a question is listed as one beside a card, and choosing it leads to it", async () => {
    await using visit = await open(PHONE);
    const { page, faults } = visit;
    await say(page, "Ask me something");
    await page.locator("section.card").waitFor();
    const asked = page.url();
    await page.goto(`${world().url}/chat`);
    await say(page, "Send the build webhook");
    await page.locator(".card").waitFor();
    const list = await openTray(page, 2);
    const rows = list.getByRole("listitem");
    await rows.filter({ hasText: "Approval needed" }).filter({ hasText: "send_webhook" }).waitFor();
    const question = rows.filter({ hasText: "The agent asks" });
    expect(await question.innerText()).toMatch(/Where shall we go this weekend\?.*put to .*left/s);
    expect(await rows.getByRole("button", { name: /^Answer here/ }).count()).toBe(1);
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await question.getByRole("button", { name: /^The agent asks/ }).click();
    await page.waitForURL(asked);
    const card = page.locator("section.card:focus");
    await card.getByRole("radio", { name: /Nowhere/ }).check();
    await card.page().locator("section.card").getByRole("button", { name: "Send answer" }).click();
    await rest(page);
    await page.goto(`${world().url}/chat`);
    const left = await openTray(page, 1);
    await left.getByRole("button", { name: /send_webhook/ }).click();
    await page.getByRole("button", { name: "Decline", exact: true }).click();
    await rest(page);
    expect(faults).toEqual([]);
  });

  it("[L-166] [L-167] it is answered in the list with keys alone, once, and the conversation goes on", async () => {
    await using visit = await open();
    const { page, faults } = visit;
    await page.emulateMedia({ reducedMotion: "reduce" });
    await say(page, "Ask me a few questions");
    await page.locator("section.card").waitFor();
    const asked = page.url();
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.waitForURL(`${world().url}/chat`);
    const list = await openTray(page, 1);
    await list.getByRole("button", { name: /^Answer here: How do you like your answers\?/ }).focus();
    await page.keyboard.press("Enter");
    await list.getByRole("heading", { name: "The agent asks" }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await list.getByRole("radio", { name: "Thorough" }).focus();
    await page.keyboard.press("Space");
    await page.keyboard.press("Control+Enter");
    await list.getByText("Write an answer.").waitFor();
    await page.keyboard.type("Ada");
    await page.keyboard.press("Control+Enter");
    await list.locator("[role=status]:focus", { hasText: "Your answer was sent. Nothing waits for you." }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Waiting for you 0" }).waitFor();
    await page.goto(asked);
    await page.locator(".tool-explanation", { hasText: 'in their own words: "Ada"' }).waitFor();
    await rest(page);
    expect(await page.locator("section.card").count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it("[L-166] what was answered elsewhere meanwhile is said: before it was read, after it, and when the list hears of it", async () => {
    await using visit = await open();
    await using other = await open();
    const { page } = visit;
    for (const when of ["unread", "read", "heard"] as const) {
      await other.page.goto(`${world().url}/chat`);
      await say(other.page, "Ask me something");
      const card = other.page.locator("section.card");
      await card.waitFor();
      await page.goto(`${world().url}/chat`);
      const list = await openTray(page, 1);
      const answerHere = list.getByRole("button", { name: /^Answer here/ });
      await answerHere.waitFor();
      // A list that cannot be read stays as it was known.
      await page.route("**/api/v1/waiting", (route) => route.abort());
      if (when !== "unread") {
        await answerHere.click();
        await list.getByRole("radio", { name: /Nowhere/ }).check();
      }
      await card.getByRole("radio", { name: /To the sea/ }).check();
      await card.getByRole("button", { name: "Send answer" }).click();
      await rest(other.page);
      if (when === "heard") {
        await page.unroute("**/api/v1/waiting");
        const said = list.locator("[role=status]:focus", { hasText: "That question does not wait any more" });
        await until(async () => {
          await page.evaluate(() => window.dispatchEvent(new Event("focus")));
          return (await said.count()) > 0;
        }, "the list to hear of it");
        continue;
      }
      await (when === "read" ? list.getByRole("button", { name: "Send answer" }) : answerHere).click();
      await list
        .getByText(when === "read" ? "answered this already" : "This question does not wait any more.")
        .waitFor();
      await page.unroute("**/api/v1/waiting");
    }
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
    await page.waitForURL(`${world().url}/chat`);
    expect(faults).toEqual([]);
  });
});
