import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { makeRealWorld } from "./real-world.ts";
import { visitWorld } from "./visit-world.ts";

const { open } = visitWorld(makeRealWorld);

/** What opens a dialog: the button that gets the focus back, and what is picked in its menu. */
interface Way {
  readonly dialog: string | RegExp;
  readonly from: (page: Page) => Locator;
  readonly item?: string;
  /** Pages within the dialog, by their buttons. */
  readonly pages?: readonly string[];
}

const options = (page: Page) => page.locator(".header").getByRole("button", { name: /^Options for/ });
const account = (page: Page) => page.getByRole("button", { name: /^Account/ });

const OF_THE_LIST: readonly Way[] = [
  { dialog: "Notices", from: (page) => page.getByRole("button", { name: /^Notices/ }) },
  { dialog: "Waiting for you", from: (page) => page.getByRole("button", { name: /^Waiting for you/ }) },
  { dialog: "Import a conversation", from: (page) => page.getByRole("button", { name: "Import a conversation" }) },
  { dialog: "Your sign-ins", from: account, item: "Your sign-ins" },
  { dialog: "People", from: account, item: "People", pages: ["Invitations", "Changes", "Erased", "Everybody"] },
];
const OF_A_CONVERSATION: readonly Way[] = [
  { dialog: "Tools", from: options, item: "Tools" },
  { dialog: "Rules of this conversation", from: options, item: "Rules" },
  { dialog: "Rename the conversation", from: options, item: "Rename" },
  { dialog: "Delete this conversation?", from: options, item: "Delete" },
  {
    dialog: "What was sent",
    from: (page) => page.getByRole("button", { name: /^More for this answer/ }).first(),
    item: "What was sent",
  },
  { dialog: /^Edit what send_webhook/, from: (page) => page.getByRole("button", { name: "Edit, then approve" }) },
  { dialog: "Members", from: options, item: "Members" },
];

const LOOKS: readonly (readonly [string, BrowserContextOptions])[] = [
  ["wide, light", {}],
  ["wide, dark", { colorScheme: "dark" }],
  ["phone, light", PHONE],
  ["phone, dark", { ...PHONE, colorScheme: "dark" }],
];

async function goThrough(page: Page, { dialog, from, item, pages = [] }: Way): Promise<void> {
  const opener = from(page);
  await opener.focus();
  await page.keyboard.press("Enter");
  if (item !== undefined)
    await page.locator(".menu:popover-open").getByRole("button", { name: item, exact: true }).click();
  const shown = page.getByRole("dialog", { name: dialog });
  await shown.waitFor();
  for (const name of ["", ...pages]) {
    if (name !== "") await shown.getByRole("button", { name, exact: true }).click();
    await check(page, shown, `${dialog} ${name}`);
  }
  expect
    .soft(await shown.evaluate((element) => element.contains(document.activeElement)), `${dialog} holds focus`)
    .toBe(true);
  await page.keyboard.press("Escape");
  await shown.waitFor({ state: "detached" });
  expect
    .soft(await opener.evaluate((element) => element === document.activeElement), `${dialog} gives the focus back`)
    .toBe(true);
}

async function check(page: Page, shown: Locator, what: string): Promise<void> {
  await shown.getByText("Loading…").waitFor({ state: "detached" });
  expect.soft(await findBarriers(page), what).toEqual([]);
  expect.soft(await sidewaysScroll(page), what).toBe(0);
  expect.soft(await cut(shown), what).toEqual([]);
}

/** Words that stand beyond the edges of a dialog. */
function cut(dialog: Locator): Promise<readonly string[]> {
  return dialog.evaluate((element) => {
    const { left, right } = element.getBoundingClientRect();
    const beyond = [...element.querySelectorAll("button, input, select, p, li, h2, h3, code, a")].filter((one) => {
      const box = one.getBoundingClientRect();
      const isShown = box.width > 1 && box.height > 1 && one.closest("pre, .sent-messages") === null;
      return isShown && (box.left < left - 1 || box.right > right + 1);
    });
    return beyond.map((one) => one.outerHTML.slice(0, 120));
  });
}

for (const [name, look] of LOOKS) {
  it(`[L-179] every dialog is named, keeps the focus and gives it back, has no barrier and nothing cut (${name})`, async () => {
    await using visited = await open(look);
    const { page } = visited;
    await page.emulateMedia({ reducedMotion: "reduce" });
    const list = page.getByRole("button", { name: "Open the list of conversations" });
    if (name.startsWith("phone")) await list.click();
    await page.getByRole("button", { name: "New shared conversation" }).click();
    await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
    await say(page, "23 * 17.5");
    await rest(page);
    await say(page, "Send the build webhook");
    await page.locator("section.card").getByRole("button", { name: "Approve", exact: true }).waitFor();
    for (const way of OF_A_CONVERSATION) await goThrough(page, way);
    if (name.startsWith("phone")) await list.click();
    for (const way of OF_THE_LIST) await goThrough(page, way);
    await page.evaluate(() => window.location.assign("#audit"));
    const audit = page.getByRole("dialog", { name: "What was decided" });
    await audit.getByText("Opened: send_webhook").first().waitFor();
    await check(page, audit, "What was decided");
    expect(visited.faults).toEqual([]);
  });
}
