import { expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { makeMockWorld } from "./mock-world.ts";
import { visitWorld } from "./visit-world.ts";

const { open } = visitWorld(makeMockWorld);

for (const [name, options] of [
  ["a wide window", {}],
  ["a phone", PHONE],
] as const) {
  it(`[L-85] a card lists its files and offers its text to copy, which decides nothing (${name})`, async () => {
    await using visited = await open(options);
    const { page, context } = visited;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await say(page, "Send the webhook with a file");
    const card = page.locator("section.card");
    await card.waitFor();
    const files = card.getByRole("list", { name: "Files" });
    expect(await files.getByRole("listitem").allInnerTexts()).toEqual(["plan.pdf 2 KiB, SHA-256 0123456789abcdef…"]);
    const copy = card.getByRole("button", { name: "Copy this text" });
    await copy.focus();
    await page.keyboard.press("Enter");
    await card.getByText("Copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe("git fetch\ngit checkout main");
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    expect(await card.getByRole("button", { name: "Approve", exact: true }).isEnabled()).toBe(true);
    await card.getByRole("button", { name: "Decline" }).click();
    await rest(page);
    expect(await page.locator("section.card").count()).toBe(0);
  });
}
