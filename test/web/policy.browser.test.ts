import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { fromMenu } from "./history-steps.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

const { world, door } = visitWorld(makeRealWorld);

const dialog = (page: Page) => page.getByRole("dialog", { name: "Rules of this conversation" });
const chip = (page: Page) => page.getByRole("button", { name: /of this conversation$/ });
const card = (page: Page) => page.locator("section.card:not(.ended)");

async function constrain(page: Page, tool: string, effect: string, words: string): Promise<void> {
  await dialog(page).getByText("Add a constraint").click();
  await dialog(page).getByLabel(tool, { exact: true }).check();
  await dialog(page).getByLabel(effect).check();
  await dialog(page).getByLabel("In your words").fill(words);
  await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
}

for (const [name, options] of [
  ["a wide window", {}],
  ["a phone", PHONE],
] as const) {
  it(`[L-110] [L-111] a constraint is added, shown in the header, makes a card, and is removed (${name})`, async () => {
    await using visited = await door().open(options);
    const { page } = visited;
    await say(page, "Note: milk");
    await rest(page);
    expect(await chip(page).count()).toBe(0);
    await fromMenu(page, "Rules");
    await constrain(page, "add_note", "wait for approval", "Ask <b>me</b> first");
    await dialog(page).getByText("Every call of add_note waits for approval").waitFor();
    await dialog(page).getByText("Ask <b>me</b> first").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await dialog(page).getByRole("button", { name: "Close" }).click();
    await say(page, "Note: eggs");
    await card(page).getByText("standing constraint: Ask <b>me</b> first").waitFor();
    await card(page).getByRole("button", { name: "Decline" }).click();
    await rest(page);
    await chip(page).click();
    await dialog(page)
      .getByRole("button", { name: /^Remove/ })
      .click();
    await dialog(page).getByText("None.").waitFor();
    await page.keyboard.press("Escape");
    await chip(page).waitFor({ state: "detached" });
    expect(visited.faults).toEqual([]);
  });
}

it("[L-112] calls like one are allowed in advance, run without a card, are listed, and revoked", async () => {
  await using visited = await door().open();
  const { page } = visited;
  const before = world().effects();
  await say(page, "Send the build webhook");
  await card(page).getByText("Always allow calls like this one…").click();
  await card(page).getByLabel("any value of body").check();
  await card(page).getByText("body: any value").waitFor();
  await card(page).getByLabel("How long").selectOption({ label: "for a day" });
  expect(await findBarriers(page)).toEqual([]);
  await card(page).getByRole("button", { name: "Approve and always allow" }).click();
  await rest(page);
  expect(world().effects()).toBe(before + 1);
  await say(page, "Send the build webhook");
  await page.waitForFunction(() => document.querySelectorAll("details.tool").length === 2);
  await rest(page);
  expect(world().effects()).toBe(before + 2);
  await chip(page).click();
  await dialog(page).getByText("body: any value").waitFor();
  await dialog(page)
    .getByText(/used once, last/)
    .waitFor();
  await dialog(page)
    .getByRole("button", { name: /^Revoke: send_webhook/ })
    .click();
  await dialog(page).getByText("Nothing. Calls can be allowed in advance").waitFor();
  await page.keyboard.press("Escape");
  await say(page, "Send the build webhook");
  await card(page).waitFor();
  expect(world().effects()).toBe(before + 2);
  expect(visited.faults).toEqual([]);
});
