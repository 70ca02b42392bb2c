import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { visitMock } from "./mock-visits.ts";

const { open, world, room } = visitMock();

/** A conversation of two questions, each answered. */
async function talk(page: Page): Promise<void> {
  await say(page, "the first question");
  await rest(page);
  await say(page, "the second question");
  await rest(page);
}

function message(page: Page, text: string) {
  return page.locator(".column > .said", { hasText: text });
}

async function edit(page: Page, text: string): Promise<void> {
  const said = message(page, text);
  await said.hover();
  await said.getByRole("button", { name: "Edit this message" }).click();
}

async function pick(page: Page, message: string, item: string): Promise<void> {
  const said = page.locator(".said, .answer", { hasText: message }).last();
  await said.hover();
  await said.getByRole("button", { name: /^More for this/ }).click();
  await page.getByRole("button", { name: item, exact: true }).click();
}

describe("editing and trying again", () => {
  it("[L-55] [L-56] an edit replaces what came after it; the draft comes back", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.locator("#composer").fill("half a thought");
    await edit(page, "the second question");
    await page.getByText("What came after it will be left behind.").waitFor();
    expect(await page.locator("#composer").inputValue()).toBe("the second question");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
    await page.locator("#composer").fill("a better question");
    await page.keyboard.press("Enter");
    await message(page, "a better question").waitFor();
    await rest(page);
    expect(await page.locator(".column > .said").count()).toBe(2);
    expect(await page.locator(".column > .answer").count()).toBe(2);
    expect(await page.locator("#composer").inputValue()).toBe("half a thought");
    const c = room(page.url()).conversation;
    expect(c.active.map((entry) => entry.kind)).toEqual([
      "core.user",
      "core.assistant",
      "core.rewind",
      "core.user",
      "core.assistant",
    ]);
    expect(world().server.house.lastRewind).toBe(c.active[1]?.id);
    expect(visited.faults).toEqual([]);
  });

  it("[L-55] Escape leaves everything as it was", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.locator("#composer").fill("half a thought");
    const sends = world().server.house.sends.length;
    await edit(page, "the first question");
    await page.keyboard.press("Escape");
    await page.getByText("Editing an earlier message").waitFor({ state: "detached" });
    expect(await page.locator("#composer").inputValue()).toBe("half a thought");
    expect(await page.locator(".column > .said").count()).toBe(2);
    expect(world().server.house.sends.length).toBe(sends);
  });

  it("[L-56] an edit of the first message goes back to the start", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await edit(page, "the first question");
    await page.locator("#composer").fill("from the beginning");
    await page.keyboard.press("Enter");
    await page.getByText("Went back to the start").waitFor();
    await rest(page);
    expect(world().server.house.lastRewind).toBe(0);
    expect(await page.locator(".column > .said").allInnerTexts()).toEqual([expect.stringContaining("beginning")]);
  });

  it("[L-56] Try again puts a new answer in place of the last one", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.locator(".column > .answer").last().hover();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Went back; what followed was left behind").waitFor();
    await rest(page);
    expect(await message(page, "the second question").count()).toBe(1);
    expect(await page.locator(".column > .answer").count()).toBe(2);
  });

  it("[L-57] while an answer runs an edit is disabled, and says why to the eye, to a press and to Enter", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await edit(page, "the second question");
    world().server.house.pace = { units: 9, ms: 30 };
    const other = await visited.context.newPage();
    await other.goto(page.url());
    await say(other, "Write something long");
    const button = message(page, "the first question").getByRole("button", { name: "Edit this message" });
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    expect(await button.getAttribute("title")).toContain("An answer is running");
    await page.locator("#composer").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("An answer is running").waitFor();
    expect(await page.locator("#composer").inputValue()).toBe("the second question");
    await page.keyboard.press("Escape");
    await button.focus();
    await page.keyboard.press("Enter");
    await page.locator(".notice", { hasText: "An answer is running" }).waitFor();
    expect(await page.getByText("Editing an earlier message").count()).toBe(0);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("false");
  });

  it("[L-57] an edit that is refused nevertheless can be edited and sent again, to the same place", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    world().server.house.refuseSends = "busy";
    await edit(page, "the second question");
    await page.locator("#composer").fill("a better question");
    await page.keyboard.press("Enter");
    await page.getByText("Not accepted: An answer is running").waitFor();
    expect(await page.locator(".column > .said").count()).toBe(3);
    world().server.house.refuseSends = undefined;
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByText("Editing an earlier message").waitFor();
    expect(await page.locator("#composer").inputValue()).toBe("a better question");
    await page.keyboard.press("Enter");
    await rest(page);
    expect(await page.locator(".column > .said").count()).toBe(2);
    expect(room(page.url()).conversation.left.size).toBe(1);
  });
});

describe("what was left behind", () => {
  it("[L-58] is shown in its divider, to read and to fork from, never to edit", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await edit(page, "the second question");
    await page.locator("#composer").fill("a better question");
    await page.keyboard.press("Enter");
    await rest(page);
    await page.getByRole("button", { name: "Show it" }).click();
    const left = page.getByRole("region", { name: "What was left behind" });
    await left.getByText("2 messages were left behind.").waitFor();
    await left.getByText("You said: the second question").waitFor();
    expect(await left.getByRole("button", { name: /Edit|Try again/ }).count()).toBe(0);
    await left.locator(".answer").hover();
    await left.getByRole("button", { name: "More for this answer" }).click();
    expect(await page.locator(".menu:popover-open button").allInnerTexts()).toEqual(["Fork from here"]);
    await page.getByRole("button", { name: "Fork from here" }).click();
    await page.getByText("Forked from another conversation").waitFor();
    const said = await page.locator(".column > .said .bubble").allInnerTexts();
    expect(said).toEqual(["the first question", "the second question"]);
    await page.goBack();
    await page.getByRole("button", { name: "Show it" }).click();
    await page.getByRole("button", { name: "Hide it" }).click();
    await left.waitFor({ state: "detached" });
  });

  it("[L-58] survives a reload, and a failure to load it is said", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.locator(".column > .answer").last().hover();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Went back; what followed was left behind").waitFor();
    await rest(page);
    await page.reload();
    await page.route("**/left/*", (route) => route.abort());
    await page.getByRole("button", { name: "Show it" }).click();
    await page.getByText("The server cannot be reached.").waitFor();
  });
});

describe("forks", () => {
  it("[L-59] [L-60] a fork is opened, its past is marked, and the way to its origin is offered", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    const origin = page.url();
    await pick(page, "You said: the first question", "Fork from here");
    await page.getByText("Forked from another conversation; what stands above was done there").waitFor();
    expect(page.url()).not.toBe(origin);
    expect(await page.locator(".column > .inherited").count()).toBe(2);
    expect(await page.locator(".inherited h2").allTextContents()).toEqual([
      "You, before the fork",
      "Answer, before the fork",
    ]);
    await say(page, "a question of its own");
    await rest(page);
    expect(await message(page, "a question of its own").getAttribute("class")).not.toContain("inherited");
    await page.getByRole("link", { name: "Open it" }).click();
    await message(page, "the second question").waitFor();
    expect(page.url()).toBe(origin);
  });

  it("[L-59] a fork whose answer was lost is asked for again under the same UUID", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    const { forks } = world().server.house;
    const before = forks.length;
    await page.route(
      "**/fork",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await pick(page, "the second question", "Fork from here");
    await page.locator(".notice.problem", { hasText: "cannot be reached" }).waitFor();
    await pick(page, "the second question", "Fork from here");
    await page.getByText("Forked from another conversation").waitFor();
    const asked = forks.slice(before);
    expect(asked).toHaveLength(2);
    expect(new Set(asked).size).toBe(1);
    expect(page.url().endsWith(asked[0] ?? "")).toBe(true);
  });
});

describe("on a phone", () => {
  it("[L-42] edit, dividers, what was left behind and forks do not scroll sideways", async () => {
    await using visited = await open(PHONE);
    const { page } = visited;
    await say(page, "unbreakable".repeat(20));
    await rest(page);
    await say(page, "the second question");
    await rest(page);
    expect(await sidewaysScroll(page)).toBe(0);
    await edit(page, "the second question");
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await rest(page);
    await page.getByRole("button", { name: "Show it" }).click();
    await page.getByText("2 messages were left behind.").waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await pick(page, "You said: the second question", "Fork from here");
    await page.getByText("Forked from another conversation").waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
  });
});
