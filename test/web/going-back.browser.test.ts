import { describe, expect, it } from "vitest";
import { rest, say } from "./browser.ts";
import { edit, message, pick, SUM, TIME, talk } from "./history-steps.ts";
import { visitMock } from "./mock-visits.ts";

const { open, world, room } = visitMock();

describe("editing and trying again", () => {
  it("[L-57] while an answer runs an edit is disabled, and says why to the eye, to a press and to Enter", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await edit(page, TIME);
    world().server.house.pace = { units: 9, ms: 30 };
    const other = await visited.context.newPage();
    await other.goto(page.url());
    await say(other, "Write something long");
    const button = message(page, SUM).getByRole("button", { name: "Edit this message" });
    await expect.poll(() => button.getAttribute("aria-disabled")).toBe("true");
    expect(await button.getAttribute("title")).toContain("An answer is running");
    await page.locator("#composer").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("An answer is running").waitFor();
    expect(await page.locator("#composer").inputValue()).toBe(TIME);
    await page.keyboard.press("Escape");
    await page.locator(".composer").getByRole("alert").waitFor({ state: "detached" });
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
    await edit(page, TIME);
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
    await pick(page, TIME, "Fork from here");
    await page.locator(".notice.problem", { hasText: "cannot be reached" }).waitFor();
    await pick(page, TIME, "Fork from here");
    await page.getByText("Forked from another conversation").waitFor();
    const asked = forks.slice(before);
    expect(asked).toHaveLength(2);
    expect(new Set(asked).size).toBe(1);
    expect(page.url().endsWith(asked[0] ?? "")).toBe(true);
  });
});
