import { describe, expect, it } from "vitest";
import { findBarriers } from "./barriers.ts";
import { PHONE, rest, say, sidewaysScroll } from "./browser.ts";
import { edit, fromMenu, pick, SUM, TIME, talk } from "./history-steps.ts";
import { visitMock } from "./mock-visits.ts";

const { open, world, room } = visitMock();

describe("summaries", () => {
  it("[L-49] [L-50] one that was asked for tells its parts and becomes a divider that opens to its text", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await fromMenu(page, "Summarise older messages now");
    await page.getByText("Summarising older messages… part 2 of 3").waitFor();
    const divider = page.locator(".divider", { hasText: "12,300 → 900 tokens" });
    await divider.waitFor();
    await page.locator(".background").waitFor({ state: "detached" });
    await divider.click();
    await page.locator(".divider-body strong", { hasText: "short answers" }).waitFor();
    expect(await page.locator(".column > .said").count()).toBe(2);
    expect(visited.faults).toEqual([]);
  });

  it("[L-49] it can be stopped; then nothing is placed", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await fromMenu(page, "Summarise older messages now");
    await page.getByRole("button", { name: "Stop summarising" }).click();
    await page.locator(".background").waitFor({ state: "detached" });
    expect(await page.locator(".divider").count()).toBe(0);
    expect(room(page.url()).conversation.view.compaction).toBeNull();
  });

  it("[L-49] one inside of an answer is told where the answer will stand, and the ordinary stop ends it", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, "the window is small");
    await page.locator(".activity", { hasText: "Summarising older messages… part 2 of 3" }).waitFor();
    expect(await page.locator(".background").count()).toBe(0);
    await page.locator(".divider", { hasText: "the model's window was filling up" }).waitFor();
    await page.locator(".answer", { hasText: "Now there is room again." }).waitFor();
    await say(page, "the window is small");
    await page.locator(".activity", { hasText: "Summarising" }).waitFor();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await rest(page);
    expect(await page.locator(".divider").count()).toBe(1);
  });

  it("[L-51] that there is nothing to summarise, or that one is being made, is said", async () => {
    await using visited = await open();
    const { page } = visited;
    await say(page, SUM);
    await rest(page);
    await fromMenu(page, "Summarise older messages now");
    await page.locator(".notice", { hasText: "There is nothing older to summarise yet." }).waitFor();
    await say(page, TIME);
    await rest(page);
    await fromMenu(page, "Summarise older messages now");
    await page.locator(".background").waitFor();
    await fromMenu(page, "Summarise older messages now");
    await page.locator(".notice", { hasText: "are being summarised already" }).waitFor();
  });

  it("[L-53] a failed answer offers what can be done about it", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await say(page, "it is too full");
    await page.getByText("The conversation no longer fits the model").waitFor();
    await page.getByRole("button", { name: "Choose another model" }).click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("model");
    await page.getByRole("button", { name: "Summarise older messages", exact: true }).click();
    await page.locator(".background", { hasText: "Summarising" }).waitFor();
    await page.locator(".divider", { hasText: "on request" }).waitFor();
    await page.getByRole("button", { name: "Start afresh here" }).click();
    await page.locator(".divider", { hasText: "The agent starts afresh here" }).waitFor();
  });
});

describe("starting afresh", () => {
  it("[L-52] is a divider; during an answer it waits as a quiet line that cannot be withdrawn", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await fromMenu(page, "Start afresh here");
    await page.locator(".divider", { hasText: "it sees nothing from above" }).waitFor();
    await say(page, "Send the build webhook");
    await page.locator("section.card").waitFor();
    await fromMenu(page, "Start afresh here");
    await page.locator(".note", { hasText: "A change takes effect after the step that is running." }).waitFor();
    await page.locator(".notice", { hasText: "starts afresh after the step that it is in" }).waitFor();
    expect(await page.getByRole("button", { name: "Withdraw" }).count()).toBe(0);
    await page.getByRole("button", { name: "Decline" }).click();
    await rest(page);
    await expect.poll(() => page.locator(".divider").count()).toBe(2);
    expect(await page.getByText("A change takes effect").count()).toBe(0);
  });

  it("[L-52] what was handed over is a divider with its text", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    const c = room(page.url()).conversation;
    const message = {
      role: "user" as const,
      content: [{ type: "text" as const, text: "Go on with the **harbour**." }],
    };
    c.commit(...c.append({ kind: "core.handoff", message }));
    await page.locator(".divider", { hasText: "what was handed over" }).click();
    await page.locator(".divider-body strong", { hasText: "harbour" }).waitFor();
  });
});

describe("what runs in the background", () => {
  it("[L-54] is listed with its state, says when its code is missing, and can be stopped", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    const { tasks } = room(page.url());
    tasks.begin({ kind: "core.call", status: "watching the harbour" });
    tasks.begin({ kind: "digest.nightly", status: { phase: "wait" }, blocked: true });
    const list = page.getByRole("list", { name: "In the background" });
    await list.getByText("watching the harbour").waitFor();
    await list.getByText("its code is missing; it waits").waitFor();
    await list.getByRole("button", { name: "Stop tool call" }).click();
    await list.getByText("stopping…").waitFor();
    await expect.poll(() => list.getByRole("listitem").allInnerTexts()).toEqual([expect.stringContaining("nightly")]);
  });
});

describe("pins", () => {
  it("[L-61] one that must be loaded first is listed by its words and found", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await pick(page, SUM, "Pin");
    await page.locator(".pinned-mark").waitFor();
    const { conversation: c } = room(page.url());
    for (let i = 0; i < 260; i++) {
      const message = { role: "user" as const, content: [{ type: "text" as const, text: `remark ${i}` }] };
      c.commit(...c.append({ kind: "core.user", message, data: { input: `x:${i}`, actor: "x" } }));
    }
    await page.reload();
    await page.getByText("remark 259").waitFor();
    await fromMenu(page, "23 * 17.5 is 402.5.");
    const said = page.locator(".answer:has(.pinned-mark)");
    await page.locator(".answer:focus:has(.pinned-mark)").waitFor();
    await page.waitForTimeout(300);
    const box = await said.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(page.viewportSize()?.height ?? 0);
  });

  it("[L-61] the limit is said", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    for (const text of ["402.5", TIME, "21:04"]) await pick(page, text, "Pin");
    await expect.poll(() => page.locator(".pinned-mark").count()).toBe(3);
    await say(page, "1 + 41");
    await rest(page);
    await pick(page, "1 + 41", "Pin");
    await page.locator(".notice.problem", { hasText: "3 messages are pinned already" }).waitFor();
    expect(await page.locator(".pinned-mark").count()).toBe(3);
  });
});

describe("tools", () => {
  it("[L-62] a refused change is said, and the switch shows what is true", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await fromMenu(page, "Tools");
    await page.route("**/conversations/*", (route) => route.abort());
    await page.getByRole("switch", { name: "calculate" }).click();
    await page.getByRole("alert").getByText("The server cannot be reached.").waitFor();
    expect(await page.getByRole("switch", { name: "calculate" }).isChecked()).toBe(true);
  });
});

describe("everybody and everywhere", () => {
  for (const [name, options] of [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["narrow", PHONE],
  ] as const) {
    it(`[L-41] [L-42] dividers, pins, tasks, tools and an edit are without barriers (${name})`, async () => {
      await using visited = await open(options);
      const { page } = visited;
      await page.emulateMedia({ reducedMotion: "reduce" });
      await talk(page);
      await pick(page, SUM, "Pin");
      room(page.url()).tasks.begin({ kind: "digest.nightly", status: "x".repeat(400), blocked: true });
      room(page.url()).tasks.begin({ kind: "harbour.watch", status: "x".repeat(400) });
      await fromMenu(page, "Summarise older messages now");
      await page.locator(".divider-opening summary").click();
      await fromMenu(page, "Start afresh here");
      await say(page, "it is too full");
      await rest(page);
      expect(await findBarriers(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      await page
        .locator(".header")
        .getByRole("button", { name: /^Options/ })
        .click();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole("button", { name: "Tools" }).click();
      await page.getByRole("switch").first().waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await edit(page, TIME);
      expect(await findBarriers(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
      expect(world().server.house.lastRewind).toBeUndefined();
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await rest(page);
      await page.getByRole("button", { name: "Show it" }).click();
      await page.getByText("messages were left behind.").waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await sidewaysScroll(page)).toBe(0);
    });
  }

  it("[L-40] editing, forking and pinning by keyboard alone", async () => {
    await using visited = await open();
    const { page } = visited;
    await talk(page);
    await page.getByRole("button", { name: "Edit this message" }).last().focus();
    await page.keyboard.press("Enter");
    await page.getByText("Editing an earlier message").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More for this answer" }).last().focus();
    await page.keyboard.press("Enter");
    await page.locator(".menu:popover-open").waitFor();
    for (let i = 0; i < 3; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".answer .pinned-mark").waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("More for this answer");
    await page.keyboard.press("Enter");
    await page.locator(".menu:popover-open").waitFor();
    for (let i = 0; i < 2; i++) await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Forked from another conversation").waitFor();
  });
});
