import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import type { ServerFrame } from "../../src/protocol/frames.ts";
import { rest, say, waitLive } from "./browser.ts";
import { makeMockWorld } from "./mock-world.ts";
import { visitWorld } from "./visit-world.ts";

/** What only a server that misbehaves on purpose can show. */
describe("the page against a faulty server", () => {
  const { world, door, open } = visitWorld(makeMockWorld);
  beforeEach(() => {
    world().server.distort = (frame) => [frame];
    world().server.house.refuseSends = undefined;
    world().server.house.pace = { units: 9, ms: 12 };
  });

  it("[L-6] frames lost, doubled and cut in mid-stream: the text is whole, once", async () => {
    await using visited = await open();
    const { page } = visited;
    let count = 0;
    world().server.distort = (frame: ServerFrame) => {
      count += 1;
      if (frame.type !== "delta" && frame.type !== "commit") return [frame];
      if (count % 23 === 0) return [];
      return count % 7 === 0 ? [frame, frame] : [frame];
    };
    await say(page, "Write something long");
    await page.locator(".answer .md p").nth(1).waitFor();
    world().server.dropSockets();
    await rest(page);
    await expect.poll(() => headings(page)).toEqual(["How a message travels", "A small program", "What it costs"]);
    world().server.distort = (frame) => [frame];
    const shown = await page.locator(".answer .md").allInnerTexts();
    await page.reload();
    await page.locator(".answer .md", { hasText: "That is all." }).waitFor();
    expect(await page.locator(".answer .md").allInnerTexts()).toEqual(shown);
    expect(visited.faults).toEqual([]);
  });

  it("[L-5] a failed attempt's text goes, the waiting is told, the second attempt stands alone", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "please retry");
    await page.getByText(/The model is overloaded \(529\)\. Trying again in/).waitFor();
    expect(await page.getByText("This attempt will be lost").count()).toBe(0);
    await rest(page);
    expect(await page.locator(".answer .md").allInnerTexts()).toEqual(["The second attempt came through."]);
  });

  it("[L-14] a refused message keeps the server's words and can be edited", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    world().server.house.refuseSends = "inbox_full";
    await say(page, "one too many");
    await page.getByText("Not accepted: The inbox is full").waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    expect(await page.locator("#composer").inputValue()).toBe("one too many");
    expect(await page.locator(".said", { hasText: "one too many" }).count()).toBe(0);
  });

  it("[L-13] a message is sent once although its receipt was lost with the connection", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    world().server.distort = (frame) => (frame.type === "receipt" || frame.type === "commit" ? [] : [frame]);
    await say(page, "What time is it in Tokyo?");
    await expect.poll(() => world().server.house.sends.length).toBeGreaterThan(1);
    world().server.distort = (frame) => [frame];
    world().server.dropSockets();
    await page.locator("details.tool", { hasText: "current_time" }).waitFor();
    await rest(page);
    expect(await page.locator(".said", { hasText: "Tokyo" }).count()).toBe(1);
  });

  it("[L-11] a session that ends elsewhere shows the sign-in, and a code leads back to the conversation", async () => {
    await using visited = await door().claim();
    const { page } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    const address = page.url();
    world().server.endSessions();
    await page.getByRole("heading", { name: "You are signed out" }).waitFor();
    await page.getByLabel("One-time code").fill(await world().newCode());
    await page.keyboard.press("Enter");
    await page.locator(".answer .md", { hasText: "402.5" }).waitFor();
    expect(page.url()).toBe(address);
    door().forget();
  });

  it("[L-34] a cut value must be opened whole before Approve", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "Send the huge webhook");
    const card = page.locator("section.card");
    const approve = card.getByRole("button", { name: "Approve", exact: true });
    await card.getByText("View body in full before you approve.").waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await card.getByRole("button", { name: "View all of body" }).click();
    await page.locator(".whole-value").waitFor();
    expect((await page.locator(".whole-value").innerText()).length).toBeGreaterThan(5_000);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await approve.click();
    await page.locator("details.tool", { hasText: "approved by" }).waitFor();
  });

  it("[L-38] a card whose time is over cannot be approved, and says how it ended", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "Send the short webhook");
    await page.locator("section.card", { hasText: "left" }).waitFor();
    await page.locator("details.tool", { hasText: "expired, it did not run" }).waitFor();
    await rest(page);
    expect(await page.getByRole("button", { name: "Approve", exact: true }).count()).toBe(0);
  });

  it("[L-35] a card outlives the server, and an approval after it runs once", async () => {
    await using visited = await open();
    const { page } = visited;
    const before = world().effects();
    await say(page, "Send the build webhook");
    await page.locator("section.card").waitFor();
    await world().kill();
    await page.locator(".connection.waiting").waitFor();
    await world().revive();
    await waitLive(page);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await rest(page);
    expect(world().effects()).toBe(before + 1);
  });

  it("[L-22] an unknown outcome is explained, and cut output can be shown whole", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "an unknown end");
    await page.getByText("may or may not have taken effect").waitFor();
    await rest(page);
    await say(page, "big output please");
    await rest(page);
    const row = page.locator("details.tool", { hasText: "fetch_page" });
    await row.locator("summary").click();
    expect(await row.locator("pre").nth(1).innerText()).not.toContain("line 400 ");
    await row.getByRole("button", { name: "Show all" }).click();
    await row.locator("pre", { hasText: "line 400 of the output" }).waitFor();
  });

  it("[L-23] a failed answer keeps its words, says why, and can be tried again", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "please fail");
    await page.getByText("The answer failed: The model's key was refused.").waitFor();
    await page.locator(".answer .md", { hasText: "I begin well" }).waitFor();
    await page.locator(".row.open .state.failed").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Went back to the start").waitFor();
    await rest(page);
    expect(await page.locator(".answer-end.failed").count()).toBe(1);
    expect(await page.getByRole("button", { name: "Try again" }).count()).toBe(1);
  });

  it("[L-19] a queued message can be withdrawn", async () => {
    await using visited = await open();
    const { page } = visited;
    world().server.house.pace = { units: 9, ms: 40 };
    await say(page, "Write something long");
    await page.locator(".answer .md").first().waitFor();
    await say(page, "never mind");
    await page.getByRole("button", { name: "Withdraw" }).click();
    await page.locator(".said", { hasText: "never mind" }).waitFor({ state: "detached" });
    world().server.house.pace = { units: 200, ms: 1 };
    await rest(page);
    expect(await page.getByText("never mind").count()).toBe(0);
  });

  it("[L-15] drafts stay with their conversations, over a reload too", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    const address = page.url();
    await page.locator("#composer").fill("half a thought");
    await page.getByRole("link", { name: "New conversation" }).click();
    expect(await page.locator("#composer").inputValue()).toBe("");
    await page.locator("#composer").fill("another");
    await page.goBack();
    await expect.poll(() => page.locator("#composer").inputValue()).toBe("half a thought");
    await page.reload();
    expect(page.url()).toBe(address);
    await expect.poll(() => page.locator("#composer").inputValue()).toBe("half a thought");
  });

  it("[L-48] what is written before the connection stands is sent when it does", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "23 * 17.5");
    await rest(page);
    await page.addInitScript(() => {
      const add = WebSocket.prototype.addEventListener;
      WebSocket.prototype.addEventListener = function (this: WebSocket, type: string, listener: unknown): void {
        add.call(this, type, (event) => setTimeout(() => (listener as (event: Event) => void)(event), 1_500));
      };
    });
    await page.reload();
    await say(page, "What time is it in Tokyo?");
    await page.locator(".said.pending", { hasText: "Sending…" }).waitFor();
    await page.locator("details.tool", { hasText: "current_time" }).waitFor();
  });

  it("[L-8] older messages come while scrolling up, without moving what is read", async () => {
    await using visited = await open();
    const { page } = visited;
    world().server.house.pace = { units: 2_000, ms: 0 };
    await say(page, "23 * 17.5");
    await rest(page);
    const id = page.url().split("/").at(-1) ?? "";
    const room = world().server.house.rooms.get(id);
    for (let i = 0; i < 260; i++) {
      const text = `remark ${i} ${"lorem ipsum ".repeat(i % 17)}`;
      const message = { role: "user" as const, content: [{ type: "text" as const, text }] };
      room?.conversation.commit(
        ...room.conversation.append({ kind: "core.user", message, data: { input: `x:${i}`, actor: "x" } }),
      );
    }
    await page.reload();
    await page.getByText("remark 259").waitFor();
    expect(await page.getByText(/remark 100 lorem/).count()).toBe(0);
    await page.locator(".transcript").hover();
    for (let i = 0; i < 400 && (await page.getByText(/remark 20 lorem/).count()) === 0; i++) {
      const before = await firstShown(page);
      await page.mouse.wheel(0, -1_200);
      await page.waitForTimeout(30);
      const after = await firstShown(page);
      expect(after.remark).toBeLessThanOrEqual(before.remark);
      expect(before.remark - after.remark).toBeLessThan(60);
    }
    expect(await page.getByText(/remark 20 lorem/).count()).toBe(1);
    const keys = await page
      .locator(".column [data-key]")
      .evaluateAll((rows) => rows.map((row) => row.getAttribute("data-key")));
    expect(new Set(keys).size).toBe(keys.length);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    await page.getByText("remark 259").waitFor();
    expect(await page.getByRole("button", { name: "Jump to latest" }).count()).toBe(0);
  });

  it("[L-26] reading further up is not disturbed by an answer that streams, and the way back is offered", async () => {
    await using visited = await open();
    const { page } = visited;
    await page.setViewportSize({ width: 1_000, height: 500 });
    await say(page, "Write something long");
    await rest(page);
    world().server.house.pace = { units: 9, ms: 25 };
    await say(page, "Write something long");
    await page.locator(".transcript").hover();
    await page.mouse.wheel(0, -2_000);
    await page.getByRole("button", { name: "Jump to latest" }).waitFor();
    const top = () => page.locator(".transcript").evaluate((element) => Math.round(element.scrollTop));
    const before = await top();
    await page.waitForTimeout(700);
    expect(Math.abs((await top()) - before)).toBeLessThan(4);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    world().server.house.pace = { units: 60, ms: 2 };
    await rest(page);
    const left = await page
      .locator(".transcript")
      .evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
    expect(left).toBeLessThan(4);
  });

  it("[L-37] a notification is asked for by a button, and shown when a card waits unseen", async () => {
    await using visited = await open();
    const { page } = visited;
    await page.addInitScript(() => {
      const shown: string[] = [];
      class Fake extends EventTarget {
        static permission = "default";
        static requestPermission(): Promise<string> {
          Fake.permission = "granted";
          return Promise.resolve("granted");
        }
        constructor(title: string, options: { readonly body: string }) {
          super();
          shown.push(`${title}: ${options.body}`);
        }
      }
      Object.assign(window, { Notification: Fake, shown });
    });
    await page.reload();
    await say(page, "Send the build webhook");
    await page.getByRole("button", { name: "Notify me when an approval waits" }).click();
    await page.getByRole("button", { name: "Decline" }).click();
    await rest(page);
    expect(await page.evaluate("window.shown")).toEqual([]);
    await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true }));
    await say(page, "Send the build webhook");
    await page.locator("section.card").waitFor();
    await expect.poll(() => page.evaluate("window.shown")).toEqual(["Approval needed: POST JSON to the webhook build"]);
    expect(await page.title()).toMatch(/^Approval needed · /);
  });
});

async function headings(page: Page): Promise<readonly string[]> {
  return page.locator(".answer .md :is(h3, h4, h5)").allInnerTexts();
}

/** The number of the first remark that is on the screen. */
async function firstShown(page: Page): Promise<{ readonly remark: number }> {
  return page.evaluate(() => {
    const box = document.querySelector(".transcript")?.getBoundingClientRect();
    const rows = [...document.querySelectorAll(".said")];
    const shown = rows.find((row) => row.getBoundingClientRect().bottom > (box?.top ?? 0));
    return { remark: Number(/remark (\d+)/.exec(shown?.textContent ?? "")?.[1] ?? 0) };
  });
}
