import { expect, it } from "vitest";
import type { Open } from "./browser.ts";
import { pick, talk } from "./history-steps.ts";

/** What was sent for an answer, against any server that speaks the protocol. */
export function describeSent(open: Open): void {
  it("[L-63] what was sent for an answer: settings, prompts, tools with their schemas, messages in order", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await pick(page, "Tokyo", "What was sent");
    const dialog = page.getByRole("dialog", { name: "What was sent" });
    await dialog.locator(".sent-facts").waitFor();
    expect(await dialog.locator(".sent-facts dd").first().innerText()).toContain("/");
    const senders = await dialog.locator(".sent-role b").allInnerTexts();
    expect(senders.filter((name) => name !== "System")[0]).toBe("User");
    expect(senders.filter((name) => name === "User").length).toBeGreaterThanOrEqual(2);
    expect(senders).toContain("Result of current_time");
    for (const part of [/^System prompt/, /^Tools/, /^current_time/]) {
      await dialog.locator(".sent-part summary", { hasText: part }).click();
    }
    await dialog.locator(".sent-part .sent-part[open] pre", { hasText: '"object"' }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(visited.faults).toEqual([]);
  });
}
