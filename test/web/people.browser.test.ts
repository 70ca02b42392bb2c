import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, sidewaysScroll, type Visit } from "./browser.ts";
import { makePeopleWorld } from "./people-world.ts";
import { visitWorld } from "./visit-world.ts";

const { world, door, open } = visitWorld(makePeopleWorld);

/** Opens a dialog from the account's menu. */
async function openPanel(page: Page, name: "Your sign-ins" | "People") {
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("button", { name, exact: true }).click();
  const dialog = page.getByRole("dialog", { name, exact: true });
  await dialog.waitFor();
  return dialog;
}

async function makeInvitation(page: Page, tier = "member"): Promise<string> {
  const dialog = await openPanel(page, "People");
  await dialog.getByRole("button", { name: "Invitations" }).click();
  await dialog.getByLabel("Invite somebody as").selectOption(tier);
  await dialog.getByRole("button", { name: "Make an invitation" }).click();
  const link = await dialog.getByLabel(/Link for one person/).inputValue();
  await page.keyboard.press("Escape");
  return link;
}

/** Somebody new follows an invitation and signs in at the provider. */
async function join(person: string, tier = "member"): Promise<Visit> {
  await using owner = await open();
  const link = await makeInvitation(owner.page, tier);
  const visit = await door().stranger();
  world().home.person = person;
  await visit.page.goto(link);
  await visit.page.getByText("You are invited.").waitFor();
  await visit.page.getByRole("link", { name: "Sign in with Home" }).click();
  return visit;
}

async function arrive(visit: Visit, name: string): Promise<void> {
  await visit.page.locator("#composer").waitFor();
  await visit.page.locator(".account-name", { hasText: name }).waitFor();
}

/** The row of a person in the owner's list, opened. */
async function openRow(page: Page, name: string) {
  const dialog = await openPanel(page, "People");
  const row = dialog.locator("details.person", { hasText: name });
  await row.locator("summary").click();
  return { dialog, row };
}

describe("an invitation", () => {
  it("[L-127] [L-131] followed by somebody new leaves the address at once, and lets them in by a real provider", async () => {
    await using visit = await join("ada");
    await arrive(visit, "ada of the tests");
    expect(visit.page.url()).toBe(`${world().url}/chat`);
    expect(await visit.page.locator(".account-tier").innerText()).toBe("member");
    expect(visit.faults).toEqual([]);
  });

  it("[L-127] without one nobody new is let in, and the page says so", async () => {
    await using visit = await door().stranger();
    world().home.person = "nobody";
    await visit.page.goto(`${world().url}/chat`);
    await visit.page.getByRole("link", { name: "Sign in with Home" }).click();
    await visit.page.getByRole("alert").filter({ hasText: "Ask an owner of this server for an invitation" }).waitFor();
  });

  it("[L-127] that is none is said, and one that is followed by somebody signed in changes nothing", async () => {
    await using stranger = await door().stranger();
    await stranger.page.goto(`${world().url}/chat#invite=x`);
    await stranger.page.getByRole("alert").filter({ hasText: "This link is no invitation" }).waitFor();
    expect(stranger.page.url()).toBe(`${world().url}/chat`);
    await using owner = await open();
    const link = await makeInvitation(owner.page);
    await owner.page.evaluate((hash) => (window.location.hash = hash), new URL(link).hash);
    await owner.page.getByText("The invitation is for somebody new.").waitFor();
    expect(owner.page.url()).toBe(`${world().url}/chat`);
  });

  it("[L-126] is made, shown once with its link to copy, listed and taken back", async () => {
    await using visit = await open();
    const { page, context } = visit;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const dialog = await openPanel(page, "People");
    await dialog.getByRole("button", { name: "Invitations" }).click();
    const list = dialog.getByRole("list", { name: "Open invitations" });
    await dialog.getByLabel("Invite somebody as").selectOption("admin");
    await dialog.getByRole("button", { name: "Make an invitation" }).click();
    const link = await dialog.getByLabel(/Link for one person/).inputValue();
    expect(link).toMatch(new RegExp(`^${world().url}/chat#invite=[0-9a-z]{26}$`));
    await dialog.getByRole("button", { name: "Copy the link" }).click();
    await dialog.getByText("Copied.").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await page.keyboard.press("Escape");
    const again = await openPanel(page, "People");
    await again.getByRole("button", { name: "Invitations" }).click();
    const line = again.getByRole("listitem").filter({ hasText: "As admin" });
    await line.waitFor();
    expect(await again.getByLabel(/Link for one person/).count()).toBe(0);
    await line.getByRole("button", { name: /^Take back: invitation as admin/ }).click();
    await line.getByRole("button", { name: "Take back" }).click();
    await line.waitFor({ state: "detached" });
    await list.waitFor({ state: "attached" });
    await using stranger = await door().stranger();
    world().home.person = "too-late";
    await stranger.page.goto(link);
    await stranger.page.getByRole("link", { name: "Sign in with Home" }).click();
    await stranger.page.getByRole("alert").filter({ hasText: "for an invitation" }).waitFor();
  });
});

describe("one's own sign-ins", () => {
  it("[L-120] are listed with the one in use, by the provider's host and the subject", async () => {
    await using visit = await join("berta");
    await arrive(visit, "berta");
    const dialog = await openPanel(visit.page, "Your sign-ins");
    const row = dialog.getByRole("list", { name: "What you can sign in with" }).getByRole("listitem");
    await row.getByText("You are signed in with this one").waitFor();
    expect(await row.count()).toBe(1);
    expect(await row.innerText()).toContain(`${new URL(world().home.issuer).host}, berta`);
    expect(await row.getByRole("button").count()).toBe(0);
  });

  it("[L-120] where the dialog cannot be loaded the page says so", async () => {
    await using visit = await open();
    const { page } = visit;
    await page.route("**/account-dialog-*.js", (route) => route.abort());
    await page.getByRole("button", { name: /^Account/ }).click();
    await page.getByRole("button", { name: "Your sign-ins" }).click();
    await page.locator(".notice.problem", { hasText: "Reload the page, then try again." }).waitFor();
  });

  it("[L-121] [L-123] another account is linked after both were named, and unlinked after a question", async () => {
    await using visit = await join("carla");
    await arrive(visit, "carla");
    const { page } = visit;
    const dialog = await openPanel(page, "Your sign-ins");
    world().work.person = "carla-at-work";
    await dialog.getByRole("link", { name: "Link with Work" }).click();
    const question = page.getByRole("region", { name: "Link this account?" });
    await question.getByText("carla-at-work of the tests").waitFor();
    await question.getByText("carla of the tests").waitFor();
    expect(page.url()).toBe(`${world().url}/chat`);
    const rows = page.getByRole("list", { name: "What you can sign in with" }).getByRole("listitem");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(1);
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Don’t link it");
    await question.getByRole("button", { name: "Link it to me" }).click();
    await page.getByText("It is linked").waitFor();
    const added = rows.filter({ hasText: "carla-at-work" });
    await added.getByRole("button", { name: /^Unlink: carla-at-work of the tests/ }).click();
    await added.getByRole("button", { name: "Leave it" }).click();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Unlink");
    await page.keyboard.press("Enter");
    await added
      .getByRole("group", { name: /is not you any more/ })
      .getByRole("button", { name: "Unlink" })
      .click();
    await added.waitFor({ state: "detached" });
    expect(visit.faults).toEqual([]);
  });

  it("[L-121] what is refused is forgotten, and linked to nobody", async () => {
    await using visit = await join("doris");
    await arrive(visit, "doris");
    const { page } = visit;
    const dialog = await openPanel(page, "Your sign-ins");
    world().work.person = "not-doris";
    await dialog.getByRole("link", { name: "Link with Work" }).click();
    await page.getByRole("button", { name: "Don’t link it" }).click();
    await page.getByText("Nothing was linked.").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(`${world().url}/chat#link`);
    await page.getByText("There is no account to link any more.").waitFor();
    const rows = await world().sql("SELECT id FROM identities WHERE id LIKE '%:not-doris'");
    expect(rows).toEqual([]);
  });

  it("[L-122] [L-130] a code names the account and the person before it links; a wrong one is said", async () => {
    await using visit = await join("emil");
    await arrive(visit, "emil");
    const { page } = visit;
    const dialog = await openPanel(page, "Your sign-ins");
    const field = dialog.getByLabel("Code that another place showed you");
    await field.fill("00000000");
    await page.keyboard.press("Enter");
    await dialog.getByRole("alert").filter({ hasText: "This code is wrong, used up" }).waitFor();
    await field.fill(await world().linkCode("discord:4711", "<b>emil</b>\u202e"));
    await page.keyboard.press("Enter");
    const question = dialog.getByRole("region", { name: "Link this account?" });
    await question.getByText("<b>emil</b>").waitFor();
    await question.getByText("Discord").waitFor();
    await question.getByText("emil of the tests").waitFor();
    await question.getByRole("button", { name: "Link it to me" }).click();
    await dialog.getByRole("listitem").filter({ hasText: "Discord, 4711" }).waitFor();
  });

  it("[L-121] an account that belongs to somebody is refused in the server's words", async () => {
    await using frida = await join("frida");
    await arrive(frida, "frida");
    await using visit = await join("gustav");
    await arrive(visit, "gustav");
    const dialog = await openPanel(visit.page, "Your sign-ins");
    const owner = await world().sql("SELECT principal_id FROM identities WHERE id LIKE '%:frida'");
    await world().sql(
      "INSERT INTO identities (id, principal_id, linked_at, display) VALUES (?, ?, 0, 'taken')",
      `oidc:${Buffer.from(world().work.issuer).toString("base64url")}:taken`,
      owner[0]?.["principal_id"],
    );
    world().work.person = "taken";
    await dialog.getByRole("link", { name: "Link with Work" }).click();
    await visit.page.getByRole("button", { name: "Link it to me" }).click();
    await visit.page.getByRole("alert").filter({ hasText: "belongs to a person here already" }).waitFor();
  });
});

describe("the people here", () => {
  it("[L-124] are for owners: nobody else is offered them", async () => {
    await using visit = await join("hanna");
    await arrive(visit, "hanna");
    await visit.page.getByRole("button", { name: /^Account/ }).click();
    await visit.page.getByRole("button", { name: "Your sign-ins" }).waitFor();
    expect(await visit.page.getByRole("button", { name: "People", exact: true }).count()).toBe(0);
  });

  it("[L-125] an owner sets a tier, switches off and on, and unlinks, each after a question", async () => {
    await using theirs = await join("iris");
    await arrive(theirs, "iris");
    await using visit = await open();
    const { page } = visit;
    const { dialog, row } = await openRow(page, "iris of the tests");
    await row.getByLabel("Tier of iris of the tests").selectOption("admin");
    await row.getByRole("button", { name: "Set the tier: iris of the tests" }).click();
    await row.getByRole("group", { name: "Make iris of the tests admin instead of member?" }).waitFor();
    await row.getByRole("button", { name: "Set the tier" }).click();
    await dialog.getByText("iris of the tests is admin now.").waitFor();
    expect(await row.locator(".person-tier").innerText()).toBe("admin");
    await row.getByRole("button", { name: "Switch off: iris of the tests" }).click();
    await row.getByRole("button", { name: "Switch off" }).click();
    await dialog.getByText("iris of the tests is switched off.").waitFor();
    await theirs.page.reload();
    await theirs.page.getByRole("heading", { name: /sign/i }).waitFor();
    await row.getByRole("button", { name: "Switch on: iris of the tests" }).click();
    await row.getByRole("button", { name: "Switch on" }).click();
    await dialog.getByText("iris of the tests is switched on.").waitFor();
    await row.getByRole("button", { name: /^Unlink: iris of the tests/ }).click();
    await row
      .getByRole("group", { name: /from iris of the tests\?/ })
      .getByRole("button", { name: "Unlink" })
      .click();
    await row.getByText("No sign-in is linked").waitFor();
  });

  it("[L-125] what is refused is said in the server's words, and the list shows what is so", async () => {
    await using visit = await open();
    const { dialog, row } = await openRow(visit.page, "(you)");
    await row.getByLabel(/^Tier of/).selectOption("member");
    await row.getByRole("button", { name: /^Set the tier/ }).click();
    await row.getByRole("button", { name: "Set the tier" }).click();
    await dialog.getByRole("alert").filter({ hasText: "the only owner" }).waitFor();
    expect(await row.locator(".person-tier").innerText()).toBe("owner");
    expect(await row.getByLabel(/^Tier of/).inputValue()).toBe("owner");
  });

  it("[L-128] what was changed is told in sentences, newest first", async () => {
    await using theirs = await join("jona", "guest");
    await theirs.page.waitForURL(`${world().url}/chat`);
    await using visit = await open();
    const dialog = await openPanel(visit.page, "People");
    await dialog.getByRole("button", { name: "Changes" }).click();
    const lines = dialog.getByRole("list", { name: "Changes, newest first" }).getByRole("listitem");
    await lines.first().waitFor();
    expect(await lines.first().innerText()).toContain("jona of the tests joined as guest with");
    expect(await lines.nth(1).innerText()).toContain("Owner made an invitation as guest");
  });

  it("[L-124] [L-128] more than fifty come by pages", async () => {
    await world().addPeople(120, "Somebody <i>else</i>");
    await using visit = await open();
    const dialog = await openPanel(visit.page, "People");
    const rows = dialog.locator("details.person");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(50);
    const more = dialog.getByRole("button", { name: "Show more people" });
    await more.click();
    await visit.page.waitForFunction(() => document.querySelectorAll("details.person").length === 100);
    await more.click();
    await more.waitFor({ state: "detached" });
    expect(await rows.count()).toBeGreaterThan(120);
    expect(await dialog.locator("summary", { hasText: "Somebody <i>else</i> 7" }).first().innerText()).toContain(
      "never seen",
    );
  });

  it.each([
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["narrow", PHONE],
  ] as const)("[L-129] both dialogs are without barriers and fit (%s)", async (_name, options) => {
    await using visit = await open(options);
    const { page } = visit;
    await page.emulateMedia({ reducedMotion: "reduce" });
    const openMenu = page.getByRole("button", { name: "Conversations" });
    const enter = async (name: "Your sign-ins" | "People") => {
      // On a phone the list is behind a button, and stays open behind the dialog.
      if (options === PHONE && !(await page.locator("dialog.drawer").isVisible())) await openMenu.click();
      return await openPanel(page, name);
    };
    const dialog = await enter("People");
    const row = dialog.locator("details.person", { hasText: "(you)" });
    await row.locator("summary").click();
    await row.getByRole("button", { name: /^Switch off/ }).click();
    await row.getByRole("group").waitFor();
    const check = async () => {
      expect(await findBarriers(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      const body = page.locator("dialog.account-dialog");
      expect(await body.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    };
    await check();
    await dialog.getByRole("button", { name: "Invitations" }).click();
    await dialog.getByRole("button", { name: "Make an invitation" }).click();
    await dialog.getByLabel(/Link for one person/).waitFor();
    await check();
    await dialog.getByRole("button", { name: "Changes" }).click();
    await dialog.getByRole("list", { name: "Changes, newest first" }).getByRole("listitem").first().waitFor();
    await check();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    const own = await enter("Your sign-ins");
    await own.getByRole("listitem").first().waitFor();
    await own.getByLabel(/^Code/).fill(await world().linkCode(`discord:${"9".repeat(60)}`, "unbreakable".repeat(7)));
    await page.keyboard.press("Enter");
    await own.getByRole("region", { name: "Link this account?" }).waitFor();
    await check();
  });
});

describe("erasing somebody", () => {
  it("[L-150] shows an owner what goes and what stays, and takes the typed name", async () => {
    await using gone = await join("gerda");
    await arrive(gone, "gerda");
    await using visit = await open();
    const { page } = visit;
    const { dialog, row } = await openRow(page, "gerda of the tests");
    await row.getByRole("button", { name: "Erase: gerda of the tests" }).click();
    const form = dialog.getByRole("form", { name: "Erase gerda of the tests for good?" });
    await form.getByRole("list", { name: "What goes" }).getByText("Sign-ins: 1").waitFor();
    expect(await form.getByRole("list", { name: "What stays" }).getByRole("listitem").count()).toBeGreaterThan(0);
    const field = form.getByLabel(/^Type the name/);
    await field.fill("gerda");
    await form.getByRole("button", { name: "Erase gerda of the tests" }).click();
    await form.getByRole("alert").waitFor();
    expect(await world().sql("SELECT id FROM principals WHERE erased_at IS NOT NULL")).toEqual([]);
    await field.fill("gerda of the tests");
    await form.getByRole("button", { name: "Erase gerda of the tests" }).click();
    await dialog.getByText("gerda of the tests is erased.").waitFor();
    await dialog.getByText("Somebody who was erased").waitFor();
    expect(await dialog.locator("details.person", { hasText: "gerda" }).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
  });

  it("[L-174] its receipt stands under Erased: at work, then done, with what is left in each store", async () => {
    await using visit = await open();
    const { page } = visit;
    const dialog = await openPanel(page, "People");
    await dialog.getByRole("button", { name: "Erased" }).click();
    const one = dialog.getByRole("list", { name: "Erased people, newest first" }).locator("> li").first();
    await one.getByText("Erased by Owner").waitFor();
    await one.getByText(/^At work/).waitFor();
    await one.getByText(/^Sign-ins: 1 found, /).waitFor();
    expect(await dialog.getByText("gerda").count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    const [row] = await world().sql("SELECT receipt FROM erasures");
    const looked = (JSON.parse(String(row?.receipt)) as object[]).map((line) => ({ ...line, left: 0 }));
    await world().sql("UPDATE erasures SET finished_at = ?, receipt = ?", Date.now(), JSON.stringify(looked));
    await one.getByText(/^Done, /).waitFor();
    await one.getByText("Sign-ins: 1 found, 0 left").waitFor();
  });

  it("[L-151] oneself, and nobody is signed in any more; a sign-in of long ago is not enough", async () => {
    await using visit = await join("hilde");
    await arrive(visit, "hilde");
    const { page } = visit;
    const dialog = await openPanel(page, "Your sign-ins");
    await dialog.getByRole("button", { name: "Erase: hilde of the tests" }).click();
    const form = dialog.getByRole("form", { name: "Erase hilde of the tests for good?" });
    await form.getByLabel(/^Type the name/).fill("hilde of the tests");
    const aged = "UPDATE sessions SET created_at = created_at - ? WHERE identity LIKE '%:hilde'";
    await world().sql(aged, 11 * 60_000);
    await form.getByRole("button", { name: "Erase hilde of the tests" }).click();
    await form.getByRole("alert").filter({ hasText: "sign in again" }).waitFor();
    await world().sql(aged, -11 * 60_000);
    await form.getByRole("button", { name: "Erase hilde of the tests" }).click();
    await page.getByRole("link", { name: "Sign in with Home" }).waitFor();
    expect(await world().sql("SELECT id FROM identities WHERE id LIKE '%:hilde'")).toEqual([]);
  });
});

describe("making two people one", () => {
  it("[L-160] [L-161] asks who stays, shows what moves, takes the typed name, and names both afterwards", async () => {
    for (const name of ["inga", "jutta"]) {
      await using one = await join(name);
      await arrive(one, name);
    }
    await using visit = await open();
    const { page } = visit;
    const { dialog, row } = await openRow(page, "inga of the tests");
    await row.getByRole("button", { name: "Merge: inga of the tests" }).click();
    const choice = row.getByLabel("Who stays when inga of the tests is merged");
    expect(await choice.locator("option", { hasText: "inga" }).count()).toBe(0);
    await choice.selectOption({ label: await optionOf(choice, "jutta of the tests") });
    const form = dialog.getByRole("form", { name: "Make inga of the tests one with jutta of the tests for good?" });
    await form.getByRole("list", { name: "What is moved" }).getByText("Sign-ins: 1").waitFor();
    await form.getByText("It cannot be undone").waitFor();
    const act = form.getByRole("button", { name: "Merge inga of the tests into jutta of the tests" });
    await form.getByLabel(/^Type the name/).fill("jutta of the tests");
    await act.click();
    await form.getByRole("alert").waitFor();
    expect(await world().sql("SELECT former FROM former_ids")).toEqual([]);
    await form.getByLabel(/^Type the name/).fill("inga of the tests");
    await world().sql("UPDATE principals SET tier = 'guest' WHERE name = 'jutta of the tests'");
    await act.click();
    await form.getByRole("alert").filter({ hasText: "changed since it was shown" }).waitFor();
    await form.getByText("jutta of the tests (guest)").waitFor();
    expect(await world().sql("SELECT former FROM former_ids")).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    await act.click();
    await dialog.getByText("inga of the tests is one with jutta of the tests now.").waitFor();
    const former = dialog.locator("li.erased", { hasText: "inga of the tests, merged into jutta of the tests" });
    await former.waitFor();
    await former.filter({ hasNotText: "being moved" }).waitFor();
    expect(await dialog.locator("details .person-name", { hasText: "inga" }).count()).toBe(0);
    await dialog.getByRole("button", { name: "Changes" }).click();
    await dialog.getByText(/merged inga of the tests into jutta of the tests$/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    expect(visit.faults.filter((fault) => !fault.includes("409"))).toEqual([]);
  });

  it("[L-161] while something is still being moved it is said, and looked again until it is not", async () => {
    const insert = "INSERT INTO principals (id, name, tier, created_at) VALUES (?, ?, 'member', 0)";
    for (const id of ["p_kurt1", "p_kurt2"]) await world().sql(insert, id, `Kurt ${id}`);
    await world().sql("INSERT INTO former_ids VALUES ('p_kurt1', 'p_kurt2', 'member', 1, 'p', NULL)");
    await using visit = await open();
    const dialog = await openPanel(visit.page, "People");
    const line = dialog.locator("li.erased", { hasText: "merged into Kurt" });
    await line.filter({ hasText: "still being moved" }).waitFor();
    await world().sql("UPDATE former_ids SET finished_at = 2 WHERE former = 'p_kurt1'");
    await line.filter({ hasNotText: "being moved" }).waitFor();
  });

  it("[L-163] what the former said is the survivor's own, in a conversation that only the former could see", async () => {
    await using former = await join("mona");
    await arrive(former, "mona");
    await former.page.locator("#composer").fill("hello from mona");
    await former.page.keyboard.press("Enter");
    await former.page.locator(".bubble", { hasText: "hello from mona" }).waitFor();
    await former.page.waitForURL(/\/chat\/.+/);
    await using survivor = await join("nora");
    await arrive(survivor, "nora");
    await using visit = await open();
    const { dialog, row } = await openRow(visit.page, "mona of the tests");
    await row.getByRole("button", { name: "Merge: mona of the tests" }).click();
    const choice = row.getByLabel(/^Who stays/);
    await choice.selectOption({ label: await optionOf(choice, "nora of the tests") });
    await row.getByLabel(/^Type the name/).fill("mona of the tests");
    await row.getByRole("button", { name: "Merge mona of the tests into nora of the tests" }).click();
    await dialog.getByText("mona of the tests is one with nora of the tests now.").waitFor();
    await survivor.page.goto(former.page.url());
    await survivor.page.locator("article.said", { hasText: "hello from mona" }).waitFor();
    expect(await survivor.page.locator("article.said h2").allInnerTexts()).toEqual(["You"]);
  });

  it("[L-162] works with the keyboard alone, and leaving it is back at its button", async () => {
    await using one = await join("lena");
    await arrive(one, "lena");
    await using visit = await open();
    const { page } = visit;
    const { row } = await openRow(page, "lena of the tests");
    const button = row.getByRole("button", { name: "Merge: lena of the tests" });
    const focused = () =>
      page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.tagName);
    await button.focus();
    await page.keyboard.press("Enter");
    await row.getByLabel(/^Who stays/).waitFor();
    expect(await focused()).toBe("SELECT");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await button.waitFor();
    expect(await focused()).toBe("Merge: lena of the tests");
    await page.keyboard.press("Enter");
    await row.getByLabel(/^Who stays/).waitFor();
    await page.keyboard.press("ArrowDown");
    await row.getByRole("form").waitFor();
    await row.getByRole("list", { name: "What becomes of the two" }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("lena of the tests");
    await page.keyboard.press("Enter");
    await page.getByRole("status").filter({ hasText: "lena of the tests is one with" }).waitFor();
  });
});

/** The label of the option that begins with a name. */
async function optionOf(choice: Locator, name: string): Promise<string> {
  const labels = await choice.locator("option").allInnerTexts();
  return labels.find((label) => label.startsWith(name)) ?? name;
}
