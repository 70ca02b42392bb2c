import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

const { open } = visitWorld(makeRealWorld);

const dialog = (page: Page) => page.getByRole("dialog", { name: "Import a conversation" });

async function exported(page: Page): Promise<Buffer> {
  await page.locator(".header .icon-button").last().click();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export to import elsewhere" }).click();
  return readFileSync(await (await download).path());
}

for (const [name, options] of [
  ["a wide window", {}],
  ["a phone", PHONE],
] as const) {
  it(`[L-175] [L-176] what was exported is imported, and opened (${name})`, async () => {
    await using visited = await open(options);
    const { page } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    const asked = page.url();
    const buffer = await exported(page);
    if (name === "a phone") await page.getByRole("button", { name: "Open the list of conversations" }).click();
    await page.getByRole("button", { name: "Import a conversation" }).click();
    await dialog(page).getByLabel("File").setInputFiles({ name: "talk.ndjson", mimeType: "text/plain", buffer });
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await dialog(page).getByRole("button", { name: "Import", exact: true }).click();
    await dialog(page).waitFor({ state: "detached" });
    await page.getByText("Imported from a file").waitFor();
    expect(page.url()).not.toBe(asked);
    expect(await page.locator(".answer .md", { hasText: "402.5" }).count()).toBe(1);
    expect(visited.faults).toEqual([]);
  });
}

it("[L-177] what is no bundle is refused in the server's words, and a whole one can follow", async () => {
  await using visited = await open();
  const { page } = visited;
  await say(page, "23 * 17.5");
  await rest(page);
  const whole = await exported(page);
  await page.getByRole("button", { name: "Import a conversation" }).click();
  const choose = (buffer: Buffer) =>
    dialog(page).getByLabel("File").setInputFiles({ name: "talk.ndjson", mimeType: "text/plain", buffer });
  await choose(whole.subarray(0, -20));
  await page.keyboard.press("Tab");
  await dialog(page).getByRole("button", { name: "Import", exact: true }).click();
  const alert = dialog(page).getByRole("alert");
  await alert.waitFor();
  expect(await alert.innerText()).toMatch(/line \d+/i);
  await choose(whole);
  await dialog(page).getByRole("button", { name: "Send it again" }).click();
  await page.getByText("Imported from a file").waitFor();
  expect(visited.faults).toEqual([]);
});
