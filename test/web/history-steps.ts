import type { Locator, Page } from "playwright-core";
import { rest, say } from "./browser.ts";

/** Two questions that every model of the tests answers. */
export const SUM = "23 * 17.5";
export const TIME = "What time is it in Tokyo?";

/** A conversation of two questions, each answered. */
export async function talk(page: Page): Promise<void> {
  for (const text of [SUM, TIME]) {
    await say(page, text);
    await page.locator(".column > .said:not(.pending)", { hasText: text }).waitFor();
    await rest(page);
  }
}

/** A message that stands in the transcript. */
export function message(page: Page, text: string): Locator {
  return page.locator(".column > .said", { hasText: text });
}

/** Opens a message for editing. */
export async function edit(page: Page, text: string): Promise<void> {
  await message(page, text).hover();
  await message(page, text).getByRole("button", { name: "Edit this message" }).click();
}

/** Picks an item of the menu of the last message or answer that has these words. */
export async function pick(page: Page, words: string, item: string): Promise<void> {
  const said = page.locator(".column > :is(.said, .answer)", { hasText: words }).last();
  await said.hover();
  await said.getByRole("button", { name: /^More for this/ }).click();
  await page.getByRole("button", { name: item, exact: true }).click();
}

/** Picks an item of the conversation's menu. */
export async function fromMenu(page: Page, item: string): Promise<void> {
  await page
    .locator(".header")
    .getByRole("button", { name: /^Options/ })
    .click();
  await page.getByRole("button", { name: item, exact: true }).click();
}
