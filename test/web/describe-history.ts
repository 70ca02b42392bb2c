import { expect, it } from "vitest";
import { type Open, PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { edit, fromMenu, message, pick, SUM, TIME, talk } from "./history-steps.ts";

/** What can be done with a conversation's past, against any server that speaks the protocol. */
export function describeHistory(open: Open): void {
  it("[L-55] [L-56] an edit replaces what came after it; the draft comes back", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.locator("#composer").fill("half a thought");
    await edit(page, TIME);
    await page.getByText("What came after it will be left behind.").waitFor();
    expect(await page.locator("#composer").inputValue()).toBe(TIME);
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
    await page.locator("#composer").fill("1 + 41");
    await page.keyboard.press("Enter");
    await page.locator(".column > .answer", { hasText: "42" }).last().waitFor();
    await rest(page);
    expect(await page.locator(".column > .said .bubble").allInnerTexts()).toEqual([SUM, "1 + 41"]);
    expect(await page.locator("#composer").inputValue()).toBe("half a thought");
    await page.reload();
    await page.getByText("Went back; what followed was left behind").waitFor();
    expect(await page.locator(".column > .said .bubble").allInnerTexts()).toEqual([SUM, "1 + 41"]);
    expect(visited.faults).toEqual([]);
  });

  it("[L-55] Escape leaves everything as it was", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.locator("#composer").fill("half a thought");
    await edit(page, SUM);
    await page.keyboard.press("Escape");
    await page.getByText("Editing an earlier message").waitFor({ state: "detached" });
    expect(await page.locator("#composer").inputValue()).toBe("half a thought");
    expect(await page.locator(".column > .said").count()).toBe(2);
  });

  it("[L-56] an edit of the first message goes back to the start", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await edit(page, SUM);
    await page.locator("#composer").fill("1 + 41");
    await page.keyboard.press("Enter");
    await page.getByText("Went back to the start").waitFor();
    await rest(page);
    expect(await page.locator(".column > .said .bubble").allInnerTexts()).toEqual(["1 + 41"]);
  });

  it("[L-56] Try again puts a new answer in place of the last one", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.locator(".column > .answer").last().hover();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Went back; what followed was left behind").waitFor();
    await rest(page);
    expect(await page.locator(".column > .said .bubble").allInnerTexts()).toEqual([SUM, TIME]);
    await page.locator(".column > .answer", { hasText: "Tokyo" }).last().waitFor();
  });

  it("[L-58] what was left behind is shown in its divider, to read, never to edit", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await edit(page, TIME);
    await page.locator("#composer").fill("1 + 41");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Show it" }).click();
    await rest(page);
    const left = page.getByRole("region", { name: "What was left behind" });
    await left.getByText("messages were left behind.").waitFor();
    await left.locator(".said", { hasText: TIME }).waitFor();
    expect(await left.getByRole("button", { name: /Edit|Try again/ }).count()).toBe(0);
    await page.getByRole("button", { name: "Hide it" }).click();
    await left.waitFor({ state: "detached" });
  });

  it("[L-52] starting afresh is a divider", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await fromMenu(page, "Start afresh here");
    await page.locator(".divider", { hasText: "it sees nothing from above" }).waitFor();
    await page.reload();
    await page.locator(".divider", { hasText: "it sees nothing from above" }).waitFor();
    await message(page, SUM).waitFor();
  });

  it("[L-61] a message is pinned, marked, listed, jumped to and unpinned", async () => {
    await using visited = await open();
    const { page } = visited;
    await page.setViewportSize({ width: 1_000, height: 500 });
    await talk(page);
    await say(page, "Write something long");
    await page.locator(".column > .answer", { hasText: /\w{3}/ }).last().waitFor();
    await rest(page);
    await pick(page, SUM, "Pin");
    const pinned = page.locator(".column > article:has(.pinned-mark)");
    await pinned.waitFor();
    const words = (await pinned.locator(".bubble, .md").first().innerText()).slice(0, 12);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await page
      .locator(".header")
      .getByRole("button", { name: /^Options/ })
      .click();
    await page.getByRole("group", { name: "Pinned" }).getByRole("button", { name: words }).click();
    await page.locator("article:focus:has(.pinned-mark)").waitFor();
    await expect
      .poll(() =>
        pinned.evaluate((one) => one.getBoundingClientRect().top > 0 && one.getBoundingClientRect().top < innerHeight),
      )
      .toBe(true);
    await pick(page, SUM, "Unpin");
    await pinned.waitFor({ state: "detached" });
  });

  it("[L-42] on a phone: edit, dividers and what was left behind do not scroll sideways", async () => {
    await using visited = await open(PHONE);
    const { page } = visited;
    await say(page, "unbreakable".repeat(20));
    await page.locator(".column > .answer .facts").waitFor();
    await rest(page);
    await say(page, SUM);
    await page.locator(".answer .md", { hasText: "402.5" }).waitFor();
    await rest(page);
    expect(await sidewaysScroll(page)).toBe(0);
    await edit(page, SUM);
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: "Show it" }).click();
    await rest(page);
    await page.getByText("messages were left behind.").waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
  });
}
