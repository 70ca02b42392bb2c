import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { toJson } from "../kit/chat-server/conversation.ts";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { fromMenu } from "./history-steps.ts";
import { visitMock } from "./mock-visits.ts";

const { open, room } = visitMock();

const atField = (page: Page) => page.getByLabel("Who answers");
const dialog = (page: Page) => page.getByRole("dialog", { name: "Who answers" });
const personaIn = (page: Page) => room(page.url()).conversation.chat.persona;

for (const [name, options] of [
  ["a wide window", {}],
  ["a phone", PHONE],
] as const) {
  it(`[L-172] a persona is chosen before the first message, and another one in the menu (${name})`, async () => {
    await using visited = await open(options);
    const { page } = visited;
    expect(await atField(page).locator("option").allInnerTexts()).toEqual(["Assistant", "Pirate <b>Jack</b>"]);
    await atField(page).selectOption("pirate");
    expect(await findBarriers(page)).toEqual([]);
    expect(await sidewaysScroll(page)).toBe(0);
    await say(page, "23 * 17.5");
    await rest(page);
    expect(personaIn(page)).toBe("pirate");
    expect(await atField(page).count()).toBe(0);
    await fromMenu(page, "Who answers");
    expect(await dialog(page).getByLabel("Persona").inputValue()).toBe("pirate");
    await dialog(page).getByLabel("Persona").selectOption({ label: "Assistant" });
    await expect.poll(() => personaIn(page)).toBe("assistant");
    expect(await findBarriers(page)).toEqual([]);
    await dialog(page).getByRole("button", { name: "Close" }).click();
    expect(visited.faults).toEqual([]);
  });
}

it("[L-172] a refused choice is said, and the choice shows what is so", async () => {
  await using visited = await open();
  const { page } = visited;
  await say(page, "23 * 17.5");
  await rest(page);
  await fromMenu(page, "Who answers");
  await page.route("**/api/v1/conversations/*", (route) =>
    route.fulfill({ status: 400, json: { error: { code: "bad_request", message: "There is no persona now." } } }),
  );
  await dialog(page).getByLabel("Persona").selectOption("pirate");
  await dialog(page).getByText("There is no persona now.").waitFor();
  expect(await dialog(page).getByLabel("Persona").inputValue()).toBe("assistant");
  await page.unroute("**/api/v1/conversations/*");
});

it("[L-173] a persona that is not there any more is named where one writes and in the menu", async () => {
  await using visited = await open();
  const { page } = visited;
  await say(page, "23 * 17.5");
  await rest(page);
  const { conversation } = room(page.url());
  conversation.commit(["s", ["plugins", "chat"], toJson({ ...conversation.chat, persona: "sailor" })]);
  await atField(page).waitFor();
  expect(await atField(page).locator("option:checked").innerText()).toBe("sailor (not here any more)");
  await fromMenu(page, "Who answers");
  await dialog(page).getByText("Nobody answers until another one is chosen.").waitFor();
  await dialog(page).getByLabel("Persona").selectOption("pirate");
  await expect.poll(() => personaIn(page)).toBe("pirate");
  await dialog(page).getByText("Nobody answers").waitFor({ state: "detached" });
  await page.keyboard.press("Escape");
  await atField(page).waitFor({ state: "detached" });
});
