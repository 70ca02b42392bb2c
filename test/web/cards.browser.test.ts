import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

const { door } = visitWorld(makeRealWorld);

const open = (page: Page) => page.locator("section.card:not(.ended)");

for (const [name, options] of [
  ["a wide window", {}],
  ["a phone", PHONE],
] as const) {
  it(`[L-80] arguments are edited and approved by keyboard; what is wrong is said, nothing written is lost (${name})`, async () => {
    await using visited = await door().open(options);
    const { page } = visited;
    await say(page, "Send the build webhook");
    const edit = open(page).getByRole("button", { name: "Edit, then approve" });
    await edit.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Edit what send_webhook/ });
    const field = dialog.getByLabel("Arguments, as JSON");
    const before = await field.inputValue();
    await field.fill(`${before} oops`);
    await dialog.getByText("This is not JSON yet").waitFor();
    expect(await dialog.getByRole("button", { name: "Approve as edited" }).isDisabled()).toBe(true);
    await field.fill('{"target":"nowhere","body":{}}');
    await dialog.getByRole("button", { name: "Approve as edited" }).click();
    await dialog.getByText("The arguments do not fit").waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    const input = { ...(JSON.parse(before) as object), body: { ref: "edited by hand" } };
    await field.fill(JSON.stringify(input));
    await dialog.getByRole("button", { name: "Approve as edited" }).focus();
    await page.keyboard.press("Enter");
    await rest(page);
    expect(await dialog.count()).toBe(0);
    await page.locator("details.tool summary").first().click();
    await page.locator("details.tool").first().getByText("edited its arguments").waitFor();
    await page.getByText("edited what send_webhook is called with").waitFor();
  });
}

it("[L-82] several open cards are decided together, from a list that names each", async () => {
  await using visited = await door().open({});
  const { page } = visited;
  await say(page, "Send the build webhook");
  await open(page).waitFor();
  await say(page, "Send the build webhook once more");
  await expect.poll(() => open(page).count()).toBe(2);
  await page.getByRole("button", { name: "2 calls wait for approval: decide together" }).click();
  const dialog = page.getByRole("dialog", { name: "Decide together" });
  expect(await dialog.getByRole("checkbox").count()).toBe(2);
  expect(await findBarriers(page)).toEqual([]);
  await dialog.getByRole("checkbox").first().uncheck();
  await dialog.getByRole("button", { name: "Decline these 1" }).waitFor();
  await dialog.getByRole("checkbox").first().check();
  await dialog.getByRole("button", { name: "Decline these 2" }).click();
  await rest(page);
  expect(await open(page).count()).toBe(0);
});
