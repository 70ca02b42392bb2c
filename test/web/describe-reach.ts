import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { type Open, PHONE, rest, say } from "./browser.ts";

/** Reaching everything without a mouse, without sight, on any screen. */
export function describeReach(open: Open): void {
  for (const [name, options] of [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["narrow", PHONE],
  ] as const) {
    it(`[L-41] axe finds no serious violation (${name})`, async () => {
      await using visited = await open(options);
      const { page } = visited;
      await page.emulateMedia({ reducedMotion: "reduce" });
      expect(await findBarriers(page)).toEqual([]);
      await say(page, "Use several tools at once");
      await rest(page);
      await say(page, "Write something long");
      await rest(page);
      await say(page, "Send the build webhook");
      await page.locator("section.card").waitFor();
      await page.locator("details.tool summary").first().click();
      expect(await findBarriers(page)).toEqual([]);
      if (name === "narrow") await page.getByRole("button", { name: "Open the list of conversations" }).click();
      await page.locator(".row-menu").first().click();
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByRole("heading", { name: "Rename the conversation" }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
    });
  }

  it("[L-40] everything by keyboard alone: write, tool row, card, menu, rename, new chat", async () => {
    await using visited = await open();
    const { page } = visited;
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
    await page.keyboard.type("Send the build webhook");
    await page.keyboard.press("Enter");
    await page.locator("section.card").waitFor();
    await tabTo(page, "details.tool summary", true);
    await page.keyboard.press("Enter");
    await page.locator("details.tool[open]").waitFor();
    await tabTo(page, "section.card .button.primary");
    await page.keyboard.press("Space");
    await rest(page);
    await tabTo(page, ".row.open .row-menu", true);
    await page.keyboard.press("Enter");
    await page.locator(".menu:popover-open").waitFor();
    await page.keyboard.press("Escape");
    expect(await page.evaluate(() => document.activeElement?.className)).toContain("row-menu");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.getByLabel("Title").fill("By keyboard");
    await page.keyboard.press("Enter");
    await page.locator(".row-title", { hasText: "By keyboard" }).first().waitFor();
    await tabTo(page, ".new-chat", true);
    await page.keyboard.press("Enter");
    await page.getByText("What shall we do?").waitFor();
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("composer");
  });

  it("[L-39] the live region tells start, approval and end, and never the answer's words", async () => {
    await using visited = await open();
    const { page } = visited;
    await page.evaluate(() => {
      const heard: string[] = [];
      const listen = new MutationObserver((changes) => {
        for (const { addedNodes } of changes) for (const node of addedNodes) heard.push(node.textContent ?? "");
      });
      listen.observe(document.querySelector("#spoken") as Node, { childList: true });
      Object.assign(window, { heard });
    });
    await say(page, "Send the build webhook");
    await page.locator("section.card").getByRole("button", { name: "Approve", exact: true }).click();
    await rest(page);
    await say(page, "Write something long");
    await rest(page);
    await page.waitForTimeout(50);
    const heard = await page.evaluate<readonly string[]>("window.heard");
    expect(heard.map((text) => text.replace(/:.*/, ""))).toEqual([
      "Answer started.",
      "Approval needed",
      "Answer finished.",
      "Answer started.",
      "Answer finished.",
    ]);
  });
}

/** Presses Tab (or Shift+Tab) until an element that fits is focused. */
async function tabTo(page: Page, selector: string, isBackwards = false): Promise<void> {
  for (let i = 0; i < 40; i++) {
    const isThere = await page.evaluate((wanted) => document.activeElement?.matches(wanted) === true, selector);
    if (isThere) return;
    await page.keyboard.press(isBackwards ? "Shift+Tab" : "Tab");
  }
  throw new Error(`Tab does not reach ${selector}`);
}
