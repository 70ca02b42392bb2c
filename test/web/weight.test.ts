import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { buildPage } from "./built-page.ts";

const KIB = 1024;

describe("the built page", () => {
  let dist = "";
  beforeAll(async () => {
    dist = await buildPage();
  }, 60_000);

  it("[L-47] the first load of script and style is at most 100 KiB, gzip", () => {
    const page = readFileSync(join(dist, "index.html"), "utf8");
    const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1] ?? "");
    expect(files.filter((file) => file.endsWith(".js"))).toHaveLength(1);
    expect(files.filter((file) => file.endsWith(".css"))).toHaveLength(1);
    const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(join(dist, file)), { level: 9 }).length, 0);
    expect(bytes).toBeLessThanOrEqual(100 * KIB);
  });

  it("[L-47] nothing in it is inline, and nothing names another origin to load from", () => {
    const page = readFileSync(join(dist, "index.html"), "utf8");
    expect(page).not.toMatch(/<script(?![^>]*\ssrc=)[^>]*>|<style|\sstyle=|\son\w+=/);
    const styles = readdirSync(join(dist, "assets")).filter((name) => name.endsWith(".css"));
    const texts = [page, ...styles.map((name) => readFileSync(join(dist, "assets", name), "utf8"))];
    for (const text of texts) expect(text).not.toMatch(/(?:https?:)?\/\/[\w-]+\.[\w.-]+/);
  });

  it("[L-47] the validators stay on the server, the highlighter out of the first load", () => {
    const page = readFileSync(join(dist, "index.html"), "utf8");
    const first = readFileSync(join(dist, /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ""), "utf8");
    expect(first).not.toMatch(/ZodError|invalid_union|hljs|registerLanguage/);
    expect(readdirSync(join(dist, "assets")).some((name) => name.startsWith("highlighter-"))).toBe(true);
  });
});
