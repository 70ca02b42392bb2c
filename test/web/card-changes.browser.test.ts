import { expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, say, sidewaysScroll, waitLive } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

const { world, door } = visitWorld(makeRealWorld);

for (const [name, options] of [
  ["a wide window", {}],
  ["a phone", PHONE],
] as const) {
  it(`[L-86] a card of a shared conversation gets more time and is handed to an owner, by keyboard (${name})`, async () => {
    const olga = await world().person(`Olga of ${name}`, "owner");
    await using visited = await door().as(olga.session, options);
    const { page, faults } = visited;
    if (options === PHONE) await page.getByRole("button", { name: "Open the list of conversations" }).click();
    await page.getByRole("button", { name: "New shared conversation" }).click();
    await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
    await waitLive(page);
    await say(page, "Send the build webhook");
    const card = page.locator("section.card:not(.ended)");
    await card.getByText("24 h left").waitFor();
    await card.getByRole("button", { name: "Give it more time" }).focus();
    await page.keyboard.press("Enter");
    await card.getByText("48 h left").waitFor();
    await card.getByRole("button", { name: "Hand it to an owner" }).focus();
    await page.keyboard.press("Enter");
    const choice = card.getByLabel("Hand it to", { exact: true });
    await choice.selectOption({ label: `Olga of ${name}` });
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await card.getByRole("button", { name: "Hand over" }).focus();
    await page.keyboard.press("Enter");
    await card.getByText(`handed to Olga of ${name}`).waitFor();
    expect(await choice.count()).toBe(0);
    await card.getByRole("button", { name: "Decline" }).click();
    expect(faults).toEqual([]);
  });
}
