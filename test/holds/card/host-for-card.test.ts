import { describe, expect, it } from "vitest";
import { hostForCard, remarkOnHosts } from "../../../src/holds/card/host-for-card.ts";

describe("hostForCard", () => {
  it.each([
    ["google.com", "google.com"],
    ["g\u043e\u043egle.com", "xn--ggle-55da.com"],
    ["p\u0430ypal.com", "xn--pypal-4ve.com"],
    ["münchen.de", "münchen.de"],
    ["例え.jp", "例え.jp"],
    ["ひらがなカタカナ漢字.jp", "ひらがなカタカナ漢字.jp"],
    ["xn--ggle-55da.com", "xn--ggle-55da.com"],
    ["build.\u03b1bc.example", "build.xn--bc-b9b.example"],
    ["ქართული.ge", "ქართული.ge"],
  ])("[H-33] shows %s as %s", (host, shown) => {
    expect(hostForCard(host)).toBe(shown);
  });

  it.each([
    ["g\u043eogle.com/@evil", "g\\u{43e}ogle.com/@evil"],
    ["g\u043eogle.com:8080", "g\\u{43e}ogle.com:8080"],
    ["a\u0430 b", "a\\u{430} b"],
  ])("[H-33] hides nothing of %s, which is no host name", (host, shown) => {
    expect(hostForCard(host)).toBe(shown);
  });

  it("[H-33] spells out a mixed name that has no punycode", () => {
    expect(hostForCard("\u0661a\u0430.com")).toMatch(/^[ -~]+$/);
  });
});

describe("remarkOnHosts", () => {
  it.each([
    ["https://google.com/a", ""],
    ["Привет. Как дела?", ""],
    ["Привет.Как дела", ""],
    ["see g\u043e\u043egle.com now", " \\host(xn--ggle-55da.com)"],
    ["https://g\u043e\u043egle.com/x and g\u043e\u043egle.com", " \\host(xn--ggle-55da.com)"],
    ["https://\u0430\u0440\u0440\u04cf\u0435.com/", " \\host(xn--80ak6aa92e.com)"],
    ["mail me@\u0430\u0440\u0440\u04cf\u0435.com.", " \\host(xn--80ak6aa92e.com)"],
    ["https://例え。jp/", " \\host(xn--r8jz45g.jp)"],
    ["https://ｇｏｏｇｌｅ.com/", " \\host(google.com)"],
  ])("[H-33] remarks on %j with %j", (text, remark) => {
    expect(remarkOnHosts(text)).toBe(remark);
  });

  it("[H-33] names three hosts and counts the others", () => {
    const text = ["а", "б", "в", "г", "д"].map((letter) => `x${letter}.com`).join(" ");
    expect(remarkOnHosts(text)).toMatch(/^ \\host\(xn--\S+, xn--\S+, xn--\S+, and 2 more\)$/);
  });

  it("[H-33] is done with 256 KiB of anything in under four seconds", () => {
    const started = performance.now();
    for (const text of ["я".repeat(128 * 1024), "xя.".repeat(50_000), "//я ".repeat(30_000)]) remarkOnHosts(text);
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
