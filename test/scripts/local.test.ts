import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { renderBanner } from "../../scripts/local/banner.ts";
import { hasDesktop } from "../../scripts/local/browser.ts";
import { decideFresh } from "../../scripts/local/migrations.ts";
import { requireFreePort } from "../../scripts/local/port.ts";
import { whileBusy } from "../../scripts/local/retry.ts";
import { readSettings, withLatestAddress, writeAddress } from "../../scripts/local/settings.ts";

const file = (name: string) => ({ name, sql: "" });
const files = [file("0001_a.sql"), file("0002_b.sql")];

describe("settings", () => {
  it("[U-39] have a default, and take port and folder from the environment", () => {
    expect(readSettings("/x", {})).toEqual({ port: 8787, url: "http://127.0.0.1:8787", state: "/x/.wrangler/state" });
    expect(readSettings("/x", { PORT: "9000", ALTHING_STATE: "/y" })).toMatchObject({ port: 9000, state: "/y" });
  });

  it.each(["0", "65536", "x", "1.5", "-1"])("[U-40] the port %s is refused, naming the remedy", (port) => {
    expect(() => readSettings("/x", { PORT: port })).toThrow(`PORT is ${port}; it must be a number from 1 to 65535`);
  });

  it("[U-41] the address of the latest start is found again", () => {
    const state = mkdtempSync(join(tmpdir(), "althing-settings-"));
    const started = readSettings("/x", { PORT: "9000", ALTHING_STATE: state });
    const later = readSettings("/x", { ALTHING_STATE: state });
    expect(withLatestAddress(later).url).toBe("http://127.0.0.1:8787");
    writeAddress(started);
    expect(withLatestAddress(later).url).toBe("http://127.0.0.1:9000");
    rmSync(state, { recursive: true });
  });
});

describe("the port", () => {
  it("[U-40] one that is in use is named together with the remedy, a free one passes", async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address();
        resolve(typeof address === "object" && address !== null ? address.port : 0);
      });
    });
    const message = `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${port + 1} npm start`;
    await expect(requireFreePort(port)).rejects.toThrow(message);
    await new Promise((resolve) => server.close(resolve));
    await expect(requireFreePort(port)).resolves.toBeUndefined();
  });
});

describe("migrations", () => {
  it("[U-1] what is new comes after what was applied", () => {
    expect(decideFresh(files, [])).toEqual(files);
    expect(decideFresh(files, ["0001_a.sql"])).toEqual([files[1]]);
    expect(decideFresh(files, ["0001_a.sql", "0002_b.sql"])).toEqual([]);
  });

  it("[U-1] a database that is ahead is left as it is", () => {
    expect(decideFresh(files, ["0001_a.sql", "0002_b.sql", "0003_c.sql"])).toEqual([]);
  });

  it("[U-1] a database with another past is refused, naming both", () => {
    expect(() => decideFresh(files, ["0001_x.sql"])).toThrow("has 0001_x.sql where migrations/ has 0001_a.sql");
  });
});

describe("a busy database", () => {
  it.each([
    "D1_ERROR: database is locked: SQLITE_BUSY",
    "D1_ERROR: Failed to get session commit token: internal error; reference = mvbu5l2e0i4bqtrqh70gubhp",
  ])("[U-41] is asked again until it answers: %s", async (says) => {
    let tries = 0;
    const work = async () => {
      tries += 1;
      if (tries < 3) throw new Error("Failed query", { cause: new Error(says) });
      return "done";
    };
    expect(await whileBusy(work)).toBe("done");
    expect(tries).toBe(3);
  });

  it("[U-41] any other error is not tried again", async () => {
    let tries = 0;
    const work = async () => {
      tries += 1;
      throw new Error("no such table");
    };
    await expect(whileBusy(work)).rejects.toThrow("no such table");
    expect(tries).toBe(1);
  });
});

describe("what a person sees", () => {
  const facts = { url: "http://127.0.0.1:8787", link: "http://127.0.0.1:8787/claim#code" };

  it("[U-39] address and link, and what the demo model is and how to set a key", () => {
    const text = renderBanner({ ...facts, keys: [{ name: "SOME_API_KEY", isSet: false }] });
    expect(text).toContain("Althing runs at http://127.0.0.1:8787\n");
    expect(text).toContain("  http://127.0.0.1:8787/claim#code\n");
    expect(text).toContain("demo model");
    expect(text).toContain("SOME_API_KEY=… into the file .dev.vars");
  });

  it("[U-39] with a key it names the key, not the remedy", () => {
    const keys = [
      { name: "SOME_API_KEY", isSet: true },
      { name: "OTHER_API_KEY", isSet: false },
    ];
    const text = renderBanner({ ...facts, keys });
    expect(text).toContain("those of SOME_API_KEY");
    expect(text).not.toContain("OTHER_API_KEY");
    expect(renderBanner({ ...facts, keys: [] })).toContain("demo model needs no key");
  });

  it("[U-39] a browser opens only for somebody in front of a desktop", () => {
    expect(hasDesktop({ DISPLAY: ":0" }, "linux", true)).toBe(true);
    expect(hasDesktop({ WAYLAND_DISPLAY: "w" }, "linux", true)).toBe(true);
    expect(hasDesktop({}, "darwin", true)).toBe(true);
    expect(hasDesktop({}, "linux", true)).toBe(false);
    expect(hasDesktop({ DISPLAY: ":0" }, "linux", false)).toBe(false);
    expect(hasDesktop({ DISPLAY: ":0", CI: "1" }, "linux", true)).toBe(false);
    expect(hasDesktop({ DISPLAY: ":0", SSH_CONNECTION: "x" }, "linux", true)).toBe(false);
  });
});
