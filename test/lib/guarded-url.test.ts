import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkPublicUrl, MAX_URL_UNITS } from "../../src/lib/guarded-url.ts";
import { HOSTILE_URLS, PUBLIC_URLS } from "./kit/hostile-urls.ts";

describe("checkPublicUrl", () => {
  it("[G-14] the table holds more than sixty hostile addresses", () => {
    expect(new Set(HOSTILE_URLS).size).toBe(HOSTILE_URLS.length);
    expect(HOSTILE_URLS.length).toBeGreaterThan(60);
  });

  it.each(HOSTILE_URLS)("[G-14] [S17] refuses %s", (url) => {
    expect(checkPublicUrl(url)).toMatchObject({ ok: false });
  });

  it.each(PUBLIC_URLS)("[G-14] accepts %s", (url) => {
    const result = checkPublicUrl(url);
    expect(result.ok && result.value.href).toBe(new URL(url).href);
  });

  it("[G-14] says what is wrong and what can be read", () => {
    expect(checkPublicUrl("http://0x7f.1/secret")).toEqual({
      ok: false,
      error:
        "The host 127.0.0.1 is an IP address. Only http and https pages on public host names and standard ports can be read.",
    });
  });

  it("[G-14] never repeats a user part or a path in a refusal", () => {
    const result = checkPublicUrl("https://user:s3cret@example.com/t0ken?k=v4lue");
    expect(result.ok ? "" : result.error).toMatch(/^The address of example\.com carries a user name or password\./);
    expect(JSON.stringify(result)).not.toMatch(/s3cret|t0ken|v4lue/);
  });

  it("[G-14] takes 2,048 units and refuses 2,049", () => {
    const fits = `https://example.com/${"a".repeat(MAX_URL_UNITS - 20)}`;
    expect(fits).toHaveLength(2_048);
    expect(checkPublicUrl(fits).ok).toBe(true);
    const tooLong = checkPublicUrl(`${fits}a`);
    expect(tooLong).toEqual({ ok: false, error: "The address has 2049 characters; the limit is 2048." });
  });

  it("[G-14] an address relative to a page is checked as what it becomes", () => {
    const base = new URL("https://example.com/a/b");
    expect(checkPublicUrl("../c", base)).toMatchObject({ ok: true, value: new URL("https://example.com/c") });
    expect(checkPublicUrl("//127.0.0.1/", base).ok).toBe(false);
    expect(checkPublicUrl("\\\\127.0.0.1\\", base).ok).toBe(false);
    expect(checkPublicUrl("javascript:alert(1)", base).ok).toBe(false);
  });

  it("[G-14] every spelling of every IPv4 address is refused", () => {
    const part = fc.integer({ min: 0, max: 255 });
    const spell = fc.constantFrom(
      (n: number) => String(n),
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `0${n.toString(8)}`,
      (n: number) => `0X00${n.toString(16)}`,
    );
    const dotted = fc
      .tuple(fc.tuple(part, part, part, part), fc.tuple(spell, spell, spell, spell))
      .map(([bytes, spells]) => bytes.map((byte, i) => spells[i]?.(byte) ?? "").join("."));
    const whole = fc.tuple(fc.integer({ min: 0, max: 2 ** 32 - 1 }), spell).map(([n, write]) => write(n));
    fc.assert(
      fc.property(fc.oneof(dotted, whole), fc.constantFrom("", "."), (host, end) => {
        expect(checkPublicUrl(`http://${host}${end}/`).ok).toBe(false);
      }),
    );
  });

  it("[G-14] any text at all is answered, and what is accepted is a public name on a standard port", () => {
    const text = fc.oneof(fc.string(), fc.webUrl(), fc.constantFrom(...HOSTILE_URLS));
    fc.assert(
      fc.property(text, (url) => {
        const result = checkPublicUrl(url);
        if (!result.ok) return;
        expect(result.value.hostname).toMatch(/^[^[\]]+\.[^.\d[\]][^.[\]]*$/);
        expect(result.value.port + result.value.username + result.value.password).toBe("");
      }),
    );
  });
});
