import { describe, expect, it } from "vitest";
import { type Door, type Open, PHONE, rest, say, sidewaysScroll, waitLive } from "./browser.ts";
import { describeForks } from "./describe-forks.ts";
import { describeHistory } from "./describe-history.ts";
import { describeReach } from "./describe-reach.ts";
import type { PageWorld } from "./page-world.ts";
import { REMOTE_IMAGES } from "./remote-images.ts";
import { visitWorld } from "./visit-world.ts";

/** Everything that the page promises against any server that speaks the protocol. */
export function describePage(name: string, makeWorld: () => Promise<PageWorld>): void {
  describe(`the page on ${name}`, () => {
    const { world, door, open } = visitWorld(makeWorld);
    describeSignIn(world, door);
    describeTalk(open);
    describeCards(world, open);
    describeTrouble(world, open);
    describeReach(open);
    describeHistory(open);
    describeForks(open);
    describeRemote(world, open);
  });
}

function describeSignIn(at: () => PageWorld, door: () => Door): void {
  it("[L-45] a claim link signs in, and the code is gone from the address and the history", async () => {
    await using visited = await door().claim();
    expect(visited.page.url()).toBe(`${at().url}/chat`);
    expect(await visited.page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    expect(visited.faults).toEqual([]);
  });

  it("[L-45] without a code there is a field; a wrong code is refused in words, a right one signs in", async () => {
    await using visited = await door().stranger();
    const { page } = visited;
    await page.goto(`${at().url}/claim`);
    await page.getByText("npm run owner:code").waitFor();
    await page.getByLabel("One-time code").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("One-time code").fill(await at().newCode());
    await page.keyboard.press("Enter");
    await page.locator("#composer").waitFor();
  });

  it("[L-45] a link pasted into the tab that shows the sign-in works as well, and its code is gone from the address", async () => {
    await using visited = await door().stranger();
    const { page } = visited;
    await page.goto(`${at().url}/claim`);
    await page.getByLabel("One-time code").waitFor();
    await page.goto(`${at().url}/claim#${await at().newCode()}`);
    await page.locator("#composer").waitFor();
    expect(page.url()).toBe(`${at().url}/chat`);
  });

  it("[L-45] a stranger sees the sign-in, and nothing else", async () => {
    await using visited = await door().stranger();
    await visited.page.goto(`${at().url}/chat`);
    await visited.page.getByLabel("One-time code").waitFor();
    expect(await visited.page.locator("#composer, .sidebar").count()).toBe(0);
  });

  it("[L-46] signing out shows the sign-in and leaves nothing in the browser", async () => {
    await using visited = await door().claim();
    const { page } = visited;
    await page.locator("#composer").fill("a secret draft");
    await page.getByRole("button", { name: /^Account:/ }).click();
    await page.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
  });
}

function describeTalk(open: Open): void {
  it("[L-22] a tool call is a row with name, status, duration, input and output", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "What time is it in Tokyo?");
    const row = page.locator("details.tool", { hasText: "current_time" });
    await row.waitFor();
    await rest(page);
    await row.locator("summary").click();
    expect(await row.locator(".tool-time").textContent()).toMatch(/^[\d.]+ m?s$/);
    expect(await row.locator(".tool-body pre").first().textContent()).toContain("Asia/Tokyo");
    expect(await row.locator(".tool-body pre").nth(1).textContent()).toMatch(/\d\d:\d\d/);
    expect(await page.locator(".answer .md").last().textContent()).toContain("Tokyo");
    expect(visited.faults).toEqual([]);
  });

  it("[L-20] the first message gives the chat its address and its row in the list", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "23 * 17.5");
    await page.waitForURL(/\/chat\/[0-9a-f-]{36}$/);
    await page.locator(".answer .md", { hasText: "402.5" }).waitFor();
    await page.locator(".row.open", { hasText: "23 * 17.5" }).waitFor();
    await page.locator("h1", { hasText: "23 * 17.5" }).waitFor();
  });

  it("[L-44] conversations are opened, renamed and, after a confirmation, deleted", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    await page.locator(".row.open").waitFor();
    const { pathname } = new URL(page.url());
    await page.locator(".row.open .row-menu").click();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("Title").fill("Sums");
    await page.keyboard.press("Enter");
    await page.locator(`.row a[href="${pathname}"]`, { hasText: "Sums" }).waitFor();
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.getByText("What shall we do?").waitFor();
    await page.locator(`.row a[href="${pathname}"]`).click();
    await page.locator(".answer .md", { hasText: "402.5" }).waitFor();
    await page.locator(".row.open .row-menu").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Export as JSON" }).click(),
    ]);
    expect(download.url()).toContain("/export?format=json");
    await page.locator(".row.open .row-menu").click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.locator(`.row a[href="${pathname}"]`).waitFor({ state: "detached" });
    expect(page.url()).toMatch(/\/chat$/);
  });

  it("[L-19] stop ends a streaming answer and keeps what was said", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "Write something long");
    await page.locator(".answer .md p").first().waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await rest(page);
    await page.getByText("Stopped.").first().waitFor();
    expect((await page.locator(".answer .md").last().textContent())?.length).toBeGreaterThan(10);
  });

  it("[L-19] what is written during a turn joins it or is queued, and is answered", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "Write something long");
    await page.locator(".answer .md").first().waitFor();
    await say(page, "23 * 17.5");
    await page.locator(".said.pending", { hasText: "23 * 17.5" }).waitFor();
    await page.locator(".answer .md", { hasText: "402.5" }).waitFor({ timeout: 45_000 });
    expect(await page.locator(".said", { hasText: "23 * 17.5" }).count()).toBe(1);
  });

  it("[L-6] a reload in mid-stream goes on where it was and shows the text once", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "Write something long");
    await page.locator(".answer .md p").nth(1).waitFor();
    await page.reload();
    await page.locator(".answer .md").first().waitFor();
    await rest(page);
    const shown = await page.locator(".answer .md").allInnerTexts();
    const headings = await page.locator(".answer .md :is(h3, h4, h5)").allInnerTexts();
    expect(new Set(headings).size).toBe(headings.length);
    await page.reload();
    await page.locator(".answer .md").first().waitFor();
    expect(await page.locator(".answer .md").allInnerTexts()).toEqual(shown);
  });

  it("[L-6] two tabs are in step", async () => {
    await using visited = await open();
    const { page, context } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    const other = await context.newPage();
    await other.goto(page.url());
    await other.locator(".answer .md", { hasText: "402.5" }).waitFor();
    await say(other, "Write something long");
    await page.locator(".answer .md :is(h3, h4)").first().waitFor();
    await Promise.all([rest(page), rest(other)]);
    const texts = await Promise.all([page, other].map((tab) => tab.locator(".column article").allInnerTexts()));
    expect(texts[0]?.length).toBeGreaterThan(3);
    expect(texts[1]).toEqual(texts[0]);
  });

  it("[L-17] a file is attached, sent, and shown as a picture of this origin", async () => {
    await using visited = await open();
    const { page } = visited;
    await page.getByLabel("Files to attach").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: DOT });
    await page.locator(".attachments .chip.ready").waitFor();
    await say(page, "Look at this");
    const picture = page.locator(".said .thumbnail img");
    await picture.waitFor();
    await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1);
    expect(visited.faults).toEqual([]);
  });
}

const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  "base64",
);

function describeCards(at: () => PageWorld, open: Open): void {
  it("[L-33] a card shows what would run; approved, it runs once and the row says by whom", async () => {
    await using visited = await open();
    const { page } = visited;
    const before = at().effects();
    await say(page, "Send the build webhook");
    const card = page.locator("section.card");
    await card.waitFor();
    const text = (await card.innerText()).replaceAll("\n", " ");
    for (const part of ["Needs your approval", "build", "target", "Asked by", "send_webhook", "left"]) {
      expect(text).toContain(part);
    }
    expect(at().effects()).toBe(before);
    await card.getByRole("button", { name: "Approve", exact: true }).click();
    await page.locator("details.tool", { hasText: "approved by" }).waitFor();
    await rest(page);
    expect(at().effects()).toBe(before + 1);
    expect(await page.locator("section.card").count()).toBe(0);
  });

  it("[L-35] declined, it never runs", async () => {
    await using visited = await open();
    const { page } = visited;
    const before = at().effects();
    await say(page, "Send the build webhook");
    const card = page.locator("section.card");
    await card.getByRole("button", { name: "Add a note" }).click();
    await card.getByLabel("Note").fill("not today");
    await card.getByRole("button", { name: "Decline" }).click();
    await page.locator("details.tool", { hasText: "declined" }).waitFor();
    await rest(page);
    expect(at().effects()).toBe(before);
  });

  it("[L-35] a card survives a reload, and one press in two tabs runs once", async () => {
    await using visited = await open();
    const { page, context } = visited;
    const before = at().effects();
    await say(page, "Send the build webhook");
    await page.locator("section.card").waitFor();
    await page.reload();
    const other = await context.newPage();
    await other.goto(page.url());
    const buttons = [page, other].map((tab) =>
      tab.locator("section.card").getByRole("button", { name: "Approve", exact: true }),
    );
    await Promise.all(buttons.map((button) => button.waitFor()));
    await buttons[0]?.click();
    await Promise.all([page, other].map((tab) => tab.locator("details.tool", { hasText: "approved by" }).waitFor()));
    await rest(page);
    expect(at().effects()).toBe(before + 1);
  });

  it("[L-36] a card does not take the focus from the field; after a decision it keeps it and leaves it to its row", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "Send the build webhook");
    await page.locator("#composer").focus();
    const card = page.locator("section.card");
    await card.waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("composer");
    await card.getByRole("button", { name: "Approve", exact: true }).focus();
    await page.keyboard.press("Enter");
    const where = () => page.evaluate(() => document.activeElement?.closest("section.card, details.tool")?.tagName);
    expect(["SECTION", "DETAILS"]).toContain(await where());
    await rest(page);
    expect(await where()).toBe("DETAILS");
  });
}

/** The server is dead while this lives. */
async function outage(world: PageWorld): Promise<AsyncDisposable> {
  await world.kill();
  return { [Symbol.asyncDispose]: () => world.revive() };
}

function describeTrouble(at: () => PageWorld, open: Open): void {
  it("[L-13] a message written offline is sent once when the network is back", async () => {
    await using visited = await open();
    const { page, context } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    await context.setOffline(true);
    {
      await using _down = await outage(at());
      await page.locator(".connection.waiting").waitFor();
      await say(page, "What time is it in Tokyo?");
      await page.locator(".said.pending", { hasText: "Waiting to send" }).waitFor();
    }
    await context.setOffline(false);
    await page.locator("details.tool", { hasText: "current_time" }).waitFor();
    await rest(page);
    await page.reload();
    await page.locator("details.tool", { hasText: "current_time" }).waitFor();
    expect(await page.locator(".said", { hasText: "Tokyo" }).count()).toBe(1);
    expect(await page.locator("details.tool", { hasText: "current_time" }).count()).toBe(1);
  });

  it("[L-9] the server dies in mid-stream and comes back: the page says so and recovers by itself", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "Write something long");
    await page.locator(".answer .md p").nth(1).waitFor();
    {
      await using _down = await outage(at());
      await page.locator(".connection.waiting").waitFor();
    }
    await waitLive(page);
    await rest(page);
    const headings = await page.locator(".answer .md :is(h3, h4, h5)").allInnerTexts();
    expect(headings.length).toBeGreaterThan(1);
    expect(new Set(headings).size).toBe(headings.length);
    expect(visited.faults).toEqual([]);
  });

  it("[L-11] an address without a conversation says so", async () => {
    await using visited = await open();
    const { page } = visited;
    await page.goto(`${at().url}/chat/00000000-0000-4000-8000-000000000000`);
    await page.getByText("There is no such conversation").waitFor();
  });
}

function describeRemote(at: () => PageWorld, open: Open): void {
  it("[L-29] a message full of remote images makes no request to another origin", async () => {
    await using visited = await open();
    const { page, context } = visited;
    const foreign: string[] = [];
    const own = new URL(at().url).origin;
    context.on("request", (request) => {
      if (new URL(request.url()).origin !== own && !request.url().startsWith("data:")) foreign.push(request.url());
    });
    const { model, prompt } = await at().script(REMOTE_IMAGES);
    await page.getByLabel("Model").selectOption({ label: model });
    await say(page, prompt);
    await page.locator(".answer .md a.image").first().waitFor();
    await rest(page);
    await page.getByText("The end of the images.", { exact: true }).waitFor();
    await page.evaluate(() => document.querySelector(".transcript")?.scrollTo(0, 0));
    await page.waitForTimeout(300);
    expect(await page.locator(".md img, .md svg, .md iframe, .md style, .md video").count()).toBe(0);
    const rel = await page.locator(".md a.image").evaluateAll((links) => links.map((link) => link.getAttribute("rel")));
    expect(new Set(rel)).toEqual(new Set(["noopener noreferrer"]));
    expect(foreign).toEqual([]);
    expect(visited.faults).toEqual([]);
  });

  it("[L-42] at 360 px nothing scrolls sideways: lists, tools, tables, code, card", async () => {
    await using visited = await open(PHONE);
    const { page } = visited;
    expect(await sidewaysScroll(page)).toBe(0);
    await say(page, "Send the build webhook");
    await page.locator("section.card").waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await page.locator("details.tool summary").last().click();
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole("button", { name: "Decline" }).click();
    await rest(page);
    const name = `${"a-very-long-name-".repeat(10)}.txt`;
    await page.getByLabel("Files to attach").setInputFiles({ name, mimeType: "text/plain", buffer: DOT });
    await page.locator(".attachments .chip.ready").waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
    await say(page, "unbreakable".repeat(20));
    await rest(page);
    expect(await sidewaysScroll(page)).toBe(0);
    const { model, prompt } = await at().script(WIDE_TEXT);
    await page.getByLabel("Model").selectOption({ label: model });
    await say(page, prompt);
    await page.locator(".answer .md table").waitFor();
    await rest(page);
    expect(await sidewaysScroll(page)).toBe(0);
    await page.getByRole("button", { name: "Open the list of conversations" }).click();
    await page.getByRole("dialog", { name: "Conversations" }).waitFor();
    expect(await sidewaysScroll(page)).toBe(0);
  });
}

const WIDE_TEXT = [
  `${"unbreakable".repeat(30)} \`${"code".repeat(60)}\``,
  `| a | b |\n|---|---|\n| ${"x".repeat(90)} | ${"y".repeat(90)} |`,
  `\`\`\`\n${"z".repeat(300)}\n\`\`\``,
].join("\n\n");
