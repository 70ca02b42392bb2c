import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll, waitLive } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

const row = (page: Page, tool = "ask_user") => page.locator("details.tool", { hasText: tool });

describe("questions on the page", () => {
  const { world, door } = visitWorld(makeRealWorld);

  /** Says it and waits for the card that comes of it. */
  async function asked(page: Page, text = "Ask me something") {
    await say(page, text);
    const card = page.locator("section.card");
    await card.waitFor();
    return card;
  }

  it("[L-140] [L-142] [L-144] [N-22] a question is answered by choosing, and its row says who chose what", async () => {
    await using visited = await door().open();
    const { page, faults } = visited;
    await page.emulateMedia({ reducedMotion: "reduce" });
    const card = await asked(page);
    await card.getByRole("heading", { name: "The agent asks" }).waitFor();
    const group = card.getByRole("group", { name: /Where shall we go/ });
    expect(await group.getByRole("radio").count()).toBe(4);
    expect(await card.innerText()).toContain("in the agent's words");
    expect(await findBarriers(page)).toEqual([]);
    await group.getByRole("radio", { name: /To the sea/ }).check();
    await card.getByRole("button", { name: "Send answer" }).click();
    await page.locator(".tool-explanation", { hasText: 'chose "To the sea"' }).waitFor();
    await rest(page);
    expect(await card.count()).toBe(0);
    expect(await row(page).innerText()).toContain("Where shall we go this weekend?");
    expect(faults).toEqual([]);
  });

  it("[L-141] works with keys alone: what is missing is said and focused, arrows choose, Ctrl+Enter sends", async () => {
    await using visited = await door().open();
    const { page } = visited;
    const card = await asked(page);
    await card.getByRole("button", { name: "Send answer" }).focus();
    await page.keyboard.press("Enter");
    await card.getByText("Choose one of what is offered").waitFor();
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement | null)?.type)).toBe("radio");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    const words = card.getByLabel("Something else, in your words");
    await words.focus();
    await page.keyboard.type("Home\n<b>first</b>");
    await page.keyboard.press("Control+Enter");
    await page.locator(".tool-explanation", { hasText: "<b>first</b>" }).waitFor();
    await rest(page);
    expect(await page.evaluate(() => document.activeElement?.closest("details.tool") !== null)).toBe(true);
  });

  it("[L-142] several questions are answered together, one of them with nothing", async () => {
    await using visited = await door().open();
    const { page } = visited;
    const card = await asked(page, "Ask me a few questions");
    await card.getByRole("radio", { name: "Short" }).check();
    await card.getByRole("checkbox", { name: "German" }).check();
    await card.getByRole("checkbox", { name: "Icelandic" }).check();
    await card.getByRole("button", { name: "Send answer" }).click();
    await card.getByText("Write an answer.").waitFor();
    await card
      .getByRole("group", { name: /What shall I call you/ })
      .getByLabel("No answer to this")
      .check();
    await card.getByRole("button", { name: "Send answer" }).click();
    const told = page.locator(".tool-explanation", { hasText: 'chose "German", "Icelandic"' });
    await told.waitFor();
    expect(await told.innerText()).toContain('"What shall I call you?": gave no answer');
  });

  it("[L-142] no answer is an answer, too", async () => {
    await using visited = await door().open();
    const { page } = visited;
    const card = await asked(page);
    await card.getByRole("button", { name: "No answer", exact: true }).click();
    await page.locator(".tool-explanation", { hasText: "gave no answer" }).waitFor();
  });

  it("[L-143] what was chosen survives a dead server and the card's move out of its turn; answered late, it is told", async () => {
    await using visited = await door().open();
    const { page } = visited;
    const card = await asked(page);
    const sea = card.getByRole("radio", { name: /To the sea/ });
    await sea.check();
    await world().kill();
    await world().revive();
    await waitLive(page);
    expect(await sea.isChecked()).toBe(true);
    await say(page, "What is 2 + 3?");
    await page.locator(".loose-card section.card").waitFor();
    await rest(page);
    expect(await sea.isChecked()).toBe(true);
    await row(page).getByText("still waiting for an answer").waitFor();
    await card.getByRole("button", { name: "Send answer" }).click();
    await page.locator(".column", { hasText: "You asked" }).waitFor();
    await rest(page);
    expect(await card.count()).toBe(0);
  });

  it("[L-145] title and screen reader tell of a question, and the list that the conversation waits", async () => {
    await using visited = await door().open();
    const { page } = visited;
    await asked(page);
    expect(await page.title()).toMatch(/^A question for you · /);
    await page
      .locator("[aria-live]", { hasText: "A question for you: Where shall we go" })
      .first()
      .waitFor({ state: "attached" });
    await page.reload();
    const card = page.locator("section.card");
    await card.waitFor();
    await card.getByRole("radio", { name: /Nowhere/ }).check();
    await card.getByRole("button", { name: "Send answer" }).click();
    await page.waitForFunction(() => !document.title.startsWith("A question"));
  });

  it("[L-140] fits a phone", async () => {
    await using visited = await door().open(PHONE);
    const { page } = visited;
    const card = await asked(page, "Ask me a few questions");
    expect(await sidewaysScroll(page)).toBe(0);
    const heights = await card
      .locator("label.question-option")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(40);
    await card.getByRole("button", { name: "No answer", exact: true }).click();
    await rest(page);
  });
});
