import { expect, it } from "vitest";
import { type Open, PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { edit, fromMenu, message, pick, SUM, TIME, talk } from "./history-steps.ts";

/** Forks and tool switches, against any server that speaks the protocol. */
export function describeForks(open: Open): void {
  it("[L-59] [L-60] a fork is opened, its past is marked, and the way to its origin is offered", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    const origin = page.url();
    await pick(page, "402.5", "Fork from here");
    await page.getByText("Forked from another conversation; what stands above was done there").waitFor();
    expect(page.url()).not.toBe(origin);
    expect(await page.locator(".column > .said .bubble").allInnerTexts()).toEqual([SUM]);
    const headings = await page.locator(".column > article h2").allTextContents();
    expect(new Set(headings)).toEqual(new Set(["You, before the fork", "Answer, before the fork"]));
    await say(page, "1 + 41");
    await page.locator(".column > .answer", { hasText: "42" }).last().waitFor();
    await rest(page);
    expect(await message(page, "1 + 41").getAttribute("class")).not.toContain("inherited");
    await page.getByRole("link", { name: "Open it" }).click();
    await message(page, TIME).waitFor();
    expect(page.url()).toBe(origin);
  });

  it("[L-58] [L-59] what was left behind can be forked from", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await edit(page, TIME);
    await page.locator("#composer").fill("1 + 41");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Show it" }).click();
    await rest(page);
    const left = page.getByRole("region", { name: "What was left behind" });
    await left.locator(".said", { hasText: TIME }).waitFor();
    await left.locator(".answer").last().hover();
    await left.getByRole("button", { name: "More for this answer" }).click();
    expect(await page.locator(".menu:popover-open button").allInnerTexts()).toEqual(["Fork from here"]);
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByText("Forked from another conversation").waitFor();
    expect(await page.locator(".column > .said .bubble").allInnerTexts()).toEqual([SUM, TIME]);
  });

  it("[L-62] each tool has a switch, in step with the server and with other tabs", async () => {
    await using visited = await open();
    const { page, context } = visited;
    await talk(page);
    const other = await context.newPage();
    await other.goto(page.url());
    await message(other, SUM).waitFor();
    for (const tab of [page, other]) await fromMenu(tab, "Tools");
    expect(await page.getByRole("switch", { checked: true }).count()).toBeGreaterThan(2);
    await page.getByRole("switch", { name: "fetch_page" }).click();
    await other.getByRole("switch", { name: "fetch_page", checked: false }).waitFor();
    await page.getByRole("switch", { name: "fetch_page", checked: false }).click();
    await other.getByRole("switch", { name: "fetch_page", checked: true }).waitFor();
  });

  it("[L-42] on a phone a fork does not scroll sideways", async () => {
    await using visited = await open(PHONE);
    const { page } = visited;
    await talk(page);
    await pick(page, "402.5", "Fork from here");
    await page.getByText("Forked from another conversation").waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
  });
}
