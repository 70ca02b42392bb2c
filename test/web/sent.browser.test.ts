import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { describeSent } from "./describe-sent.ts";
import { visitMock } from "./mock-visits.ts";

const { open, world } = visitMock();

async function openSent(page: Page, answer: string): Promise<void> {
  const said = page.locator(".column > .answer", { hasText: answer }).last();
  await said.hover();
  await said.getByRole("button", { name: "More for this answer" }).click();
  await page.getByRole("button", { name: "What was sent" }).click();
}

describe("what was sent for an answer", () => {
  describeSent(open);

  it("[L-63] model, thinking, prompts, tools with their schemas, messages in order with role and size", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "What time is it in Tokyo?");
    await rest(page);
    await openSent(page, "In Tokyo");
    const dialog = page.getByRole("dialog", { name: "What was sent" });
    await dialog.getByText("demo/demo").waitFor();
    const senders = await dialog.locator(".sent-role b").allInnerTexts();
    expect(senders).toEqual(["User", "Assistant", "Result of current_time"]);
    expect(await dialog.locator(".sent-role").first().innerText()).toBe("User 25 characters");
    await dialog.locator("summary", { hasText: "System prompt" }).click();
    // Markup of a prompt is words.
    await dialog.getByText("<b>Never</b> guess").waitFor();
    await dialog.locator("summary", { hasText: "Volatile text" }).click();
    await dialog.getByText("12:04 UTC").waitFor();
    await dialog.locator("summary", { hasText: /^Tools/ }).click();
    await dialog.locator("summary", { hasText: "calculate" }).click();
    await dialog.getByText('"expression": {').waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("More for this answer");
    expect(visited.faults).toEqual([]);
  });

  it("[L-63] where nothing was recorded it says so", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "please fail");
    await rest(page);
    await openSent(page, "I begin well");
    await page.getByRole("dialog").getByText("Nothing was recorded for this answer.").waitFor();
    expect(await page.getByRole("button", { name: "Replay" }).count()).toBe(0);
  });

  it("[L-63] where the panel itself cannot be loaded it says so", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "What time is it in Tokyo?");
    await rest(page);
    await page.route("**/sent-panel-*.js", (route) => route.abort());
    await openSent(page, "In Tokyo");
    await page.locator(".notice.problem", { hasText: "Reload the page, then try again." }).waitFor();
  });

  it("[L-64] a replay stands beside the original, is marked, and nothing is done or stored", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "What time is it in Tokyo?");
    await rest(page);
    const before = world()
      .server.house.summaries()
      .map(({ updatedAt }) => updatedAt);
    await openSent(page, "In Tokyo");
    const replay = page.getByRole("region", { name: "Replay", exact: true });
    expect(await replay.getByLabel("Replay with").inputValue()).toBe("demo/brief");
    await replay.getByRole("button", { name: "Replay" }).click();
    await replay.getByText("Demo, brief gave no answer: The model is overloaded").waitFor();
    await replay.getByLabel("Replay with").selectOption("demo/demo");
    await replay.getByRole("button", { name: "Replay" }).click();
    const [original, other] = [replay.locator(".replay-side").first(), replay.locator(".replay-side").nth(1)];
    await other.getByText("Not part of the conversation, nothing was done").waitFor();
    await other.locator("strong", { hasText: "the clock" }).waitFor();
    await other.getByText("Calls current_time").waitFor();
    expect(await original.innerText()).toContain("In Tokyo it is 21:04");
    await page.keyboard.press("Escape");
    expect(await page.locator(".column > .answer").count()).toBe(2);
    expect(await page.locator("details.tool").count()).toBe(1);
    expect(
      world()
        .server.house.summaries()
        .map(({ updatedAt }) => updatedAt),
    ).toEqual(before);
  });

  for (const [name, options] of [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["narrow", PHONE],
  ] as const) {
    it(`[L-41] [L-42] the panel is without barriers and fits (${name})`, async () => {
      await using visited = await open(options);
      const { page } = visited;
      await page.emulateMedia({ reducedMotion: "reduce" });
      await say(page, `What time is it in Tokyo? ${"unbreakable".repeat(30)}`);
      await rest(page);
      await openSent(page, "In Tokyo");
      for (const part of [/^System/, /^Volatile/, /^Tools/, /^calculate/]) {
        await page.locator(".sent-part summary", { hasText: part }).click();
      }
      await page.getByLabel("Replay with").selectOption("demo/demo");
      await page.getByRole("button", { name: "Replay", exact: true }).click();
      await page.locator(".replay-side").nth(1).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      const body = page.locator(".dialog.sent");
      expect(await body.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    });
  }
});
