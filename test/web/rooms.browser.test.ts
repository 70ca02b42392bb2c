import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll, waitLive } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

const { world, door } = visitWorld(makeRealWorld);

const openRoom = async (page: Page): Promise<string> => {
  await page.getByRole("button", { name: "New shared conversation" }).click();
  await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
  await waitLive(page);
  return page.url();
};

const members = (page: Page) => page.getByRole("dialog", { name: "Members" });

async function takeIn(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: /^Shared conversation/ }).click();
  await members(page)
    .getByLabel("Take in", { exact: true })
    .selectOption({ label: `${name} · member` });
  await members(page).getByRole("button", { name: "Take in" }).click();
  await members(page).getByRole("listitem").filter({ hasText: name }).waitFor();
  await members(page).getByRole("button", { name: "Close" }).click();
}

const said = (page: Page, words: string) => page.locator(".column > .said", { hasText: words });

it("[L-170] [L-171] a card that one may not decide offers nothing, and says who may", async () => {
  const gero = await world().person("Gero", "member");
  await using ofOwner = await door().open();
  await using ofGero = await door().as(gero.session, PHONE);
  const [owner, member] = [ofOwner.page, ofGero.page];
  const address = await openRoom(owner);
  await takeIn(owner, "Gero");
  await member.goto(address);
  await waitLive(member);
  await say(owner, "Call the webhook build with ref main");
  const card = member.locator(".card");
  await card.getByText("Only the person who asked and the owners may decide this.").waitFor();
  await card.getByText("Waits for approval").waitFor();
  expect(await card.getByRole("button").allInnerTexts()).toEqual([]);
  expect(await card.locator("details").count()).toBe(0);
  expect(await member.title()).not.toContain("Approval needed");
  expect(await member.locator("#spoken").innerText()).toContain("Waits for somebody else: ");
  expect(await findBarriers(member)).toEqual([]);
  expect(await owner.title()).toContain("Approval needed");
  await owner.locator(".card").getByRole("button", { name: "Decline" }).click();
  await card.waitFor({ state: "detached" });
  expect([...ofOwner.faults, ...ofGero.faults]).toEqual([]);
});

describe("a shared conversation of two people in two browsers", () => {
  it("[L-70] [L-71] [L-72] [L-73] [L-74] [L-75] they talk in turns, a card is seen by both, and a third sees nothing", async () => {
    const bob = await world().person("Bob <b>x</b>", "member");
    const eve = await world().person("Eve", "admin");
    await using ofOwner = await door().open();
    await using ofBob = await door().as(bob.session, PHONE);
    await using ofEve = await door().as(eve.session);
    const [owner, member, third] = [ofOwner.page, ofBob.page, ofEve.page];
    expect(await third.getByRole("button", { name: "New shared conversation" }).count()).toBe(0);
    const address = await openRoom(owner);
    await takeIn(owner, "Bob <b>x</b>");
    await owner.getByRole("button", { name: "Shared conversation, 2 members" }).waitFor();
    await member.goto(address);
    await member.getByRole("button", { name: "Shared conversation, 2 members" }).waitFor();

    await say(owner, "Hello everybody");
    await rest(owner);
    await said(member, "Hello everybody").waitFor();
    await member.locator(".answer").first().waitFor();
    expect(await said(member, "Hello everybody").locator("h2").textContent()).toBe("Owner");
    expect(await said(owner, "Hello everybody").locator("h2").textContent()).toBe("You");
    expect(await said(owner, "Hello everybody").locator(".said-by").count()).toBe(0);
    await said(member, "Hello everybody").hover();
    expect(await member.getByRole("button", { name: "Edit this message" }).count()).toBe(0);

    await say(member, "Call the webhook build with ref main");
    await member.locator(".card").waitFor();
    await owner.locator(".card").waitFor();
    expect(await owner.locator(".card-facts").textContent()).toContain("Asked by Bob <b>x</b>");
    expect(await said(owner, "Call the webhook").locator(".said-by").textContent()).toBe("Bob <b>x</b>");
    expect(await owner.getByRole("button", { name: "Stop", exact: true }).count()).toBe(1);
    const before = world().effects();
    await owner.locator(".card").getByRole("button", { name: "Approve", exact: true }).click();
    await expect.poll(() => world().effects()).toBe(before + 1);
    await rest(member);
    expect(await sidewaysScroll(member)).toBe(0);
    await owner.locator(".row.open .row-room", { hasText: "shared" }).waitFor();

    await third.goto(address);
    await third.getByText("There is no such conversation").first().waitFor();
    expect(await third.getByText("Hello everybody").count()).toBe(0);
    for (const { faults } of [ofOwner, ofBob, ofEve]) expect(faults).toEqual([]);
  });

  it("[L-72] [L-75] a member leaves by the keyboard; one who is taken out sees that there is nothing", async () => {
    const [ann, carl] = [await world().person("Ann", "member"), await world().person("Carl", "member")];
    await using ofOwner = await door().open();
    await using ofAnn = await door().as(ann.session);
    await using ofCarl = await door().as(carl.session);
    const address = await openRoom(ofOwner.page);
    for (const name of ["Ann", "Carl"]) await takeIn(ofOwner.page, name);
    for (const { page } of [ofAnn, ofCarl]) {
      await page.goto(address);
      await page.getByRole("button", { name: "Shared conversation, 3 members" }).waitFor();
    }
    await ofAnn.page.getByRole("button", { name: /^Shared conversation/ }).focus();
    await ofAnn.page.keyboard.press("Enter");
    const leave = members(ofAnn.page).getByRole("button", { name: "Leave this conversation" });
    await leave.waitFor();
    expect(await members(ofAnn.page).getByLabel("Take in", { exact: true }).count()).toBe(0);
    await leave.focus();
    await ofAnn.page.keyboard.press("Enter");
    await ofAnn.page.waitForURL(/\/chat$/);
    await ofOwner.page.getByRole("button", { name: "Shared conversation, 2 members" }).click();
    await members(ofOwner.page).getByRole("button", { name: "Take out Carl" }).click();
    await ofCarl.page.getByText("There is no such conversation").first().waitFor();
    await ofOwner.page.getByRole("button", { name: "Shared conversation, 1 member" }).waitFor();
  });

  it("[L-73] [L-74] another's turn cannot be stopped, and what one has queued is taken back by oneself", async () => {
    const dan = await world().person("Dan", "member");
    await using ofOwner = await door().open();
    await using ofDan = await door().as(dan.session);
    const address = await openRoom(ofOwner.page);
    await takeIn(ofOwner.page, "Dan");
    await ofDan.page.goto(address);
    await waitLive(ofDan.page);
    await say(ofOwner.page, "Write something long");
    await ofDan.page.locator(".answer, .live").first().waitFor();
    await say(ofDan.page, "And mine?");
    await ofDan.page.locator(".said-state", { hasText: "Queued" }).waitFor();
    await ofOwner.page.locator(".said.pending.other", { hasText: "And mine?" }).waitFor();
    expect(await ofDan.page.getByRole("button", { name: "Stop", exact: true }).count()).toBe(0);
    await ofDan.page.getByRole("button", { name: "Withdraw" }).click();
    await ofDan.page.locator(".said.pending").waitFor({ state: "detached" });
    await ofOwner.page.getByRole("button", { name: "Stop", exact: true }).click();
    await rest(ofOwner.page);
  });
});
