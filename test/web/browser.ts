import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { findChromium } from "../../scripts/chromium.ts";
import type { PageWorld } from "./page-world.ts";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 720 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 2,
};

export async function launchBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error("no Chromium: run npm test once, it brings one along");
  return chromium.launch({ executablePath, args: ARGS });
}

/** A signed-in window of its own, with everything that went wrong in it. */
export interface Visit extends AsyncDisposable {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors that scripts threw, and what the content policy refused. */
  readonly faults: readonly string[];
}

/** Windows onto one world. The owner signs in once; later windows bring the session along, unless they ask for their own. */
export class Door {
  readonly #browser: Browser;
  readonly #world: Pick<PageWorld, "url" | "newCode">;
  #session: Awaited<ReturnType<BrowserContext["storageState"]>> | undefined;

  constructor(browser: Browser, world: Pick<PageWorld, "url" | "newCode">) {
    this.#browser = browser;
    this.#world = world;
  }

  /** A window that is signed in already, at a new chat. */
  async open(options: BrowserContextOptions = {}): Promise<Visit> {
    if (this.#session === undefined) {
      await using first = await this.claim();
      this.#session = await first.context.storageState();
    }
    const visit = await this.#visit({ ...options, storageState: this.#session });
    await visit.page.goto(`${this.#world.url}/chat`);
    await visit.page.locator("#composer").waitFor();
    return visit;
  }

  /** A window that signs in by a code of its own. */
  async claim(): Promise<Visit> {
    const visit = await this.#visit({});
    await visit.page.goto(`${this.#world.url}/claim#${await this.#world.newCode()}`);
    await visit.page.locator("#composer").waitFor();
    return visit;
  }

  /** A window of somebody who is signed in by this session. */
  async as(session: string, options: BrowserContextOptions = {}): Promise<Visit> {
    const visit = await this.#visit(options);
    const cookie = { name: "althing_dev", value: session, url: this.#world.url, httpOnly: true };
    await visit.context.addCookies([{ ...cookie, sameSite: "Lax" }]);
    await visit.page.goto(`${this.#world.url}/chat`);
    await visit.page.locator("#composer").waitFor();
    return visit;
  }

  /** The session that windows brought along has ended: the next one signs in anew. */
  forget(): void {
    this.#session = undefined;
  }

  /** A window of a stranger. */
  async stranger(): Promise<Visit> {
    return this.#visit({});
  }

  async #visit(options: BrowserContextOptions): Promise<Visit> {
    const context = await this.#browser.newContext(options);
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => {
      if (/content security policy/i.test(message.text())) faults.push(message.text());
    });
    return { context, page, faults, [Symbol.asyncDispose]: () => context.close() };
  }
}

export type Open = Door["open"];

/** Writes a message and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator("#composer").fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
}

/** Waits until everything that was said has arrived and no turn runs. */
export async function rest(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector(".said.pending, button.stop") === null);
}

export async function waitLive(page: Page): Promise<void> {
  await page.locator(".connection.live").waitFor({ state: "attached" });
}

/** How far the page scrolls sideways: 0 when everything fits. */
export async function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate(() => {
    const all = [document.documentElement, document.body, ...document.querySelectorAll(".transcript, .main, .column")];
    return Math.max(...all.map((element) => element.scrollWidth - element.clientWidth));
  });
}
