import { describe, expect, it } from "vitest";
import { dropSessionCookie, keepSessionCookie, readSessionCookie } from "../../src/auth/cookie.ts";

const https = new URL("https://chat.example.com/auth/claim");
const loopback = new URL("http://127.0.0.1:8787/auth/claim");
const plain = new URL("http://chat.example.com/auth/claim");

describe("the session cookie", () => {
  it("[U-25] on https it is bound to this host alone", () => {
    const cookie = keepSessionCookie(https, "abc") ?? "";
    const [pair, ...attributes] = cookie.split("; ");
    expect(pair).toBe("__Host-althing=abc");
    expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=7776000", "Path=/", "SameSite=Lax", "Secure"]);
  });

  it("[U-25] on loopback it does without Secure, under another name", () => {
    const cookie = keepSessionCookie(loopback, "abc") ?? "";
    expect(cookie.split("; ")[0]).toBe("althing_dev=abc");
    expect(cookie).not.toContain("Secure");
    expect(cookie).toContain("HttpOnly");
    expect(cookie).toContain("SameSite=Lax");
  });

  it("[U-25] on plain http elsewhere there is none", () => {
    expect(keepSessionCookie(plain, "abc")).toBeUndefined();
    expect(dropSessionCookie(plain)).toBeUndefined();
    expect(readSessionCookie(plain, "althing_dev=abc; __Host-althing=abc")).toBeUndefined();
  });

  it("[U-25] each name counts only where it belongs", () => {
    expect(readSessionCookie(https, "althing_dev=abc")).toBeUndefined();
    expect(readSessionCookie(loopback, "__Host-althing=abc")).toBeUndefined();
    expect(readSessionCookie(https, "a=b; __Host-althing=abc; c=d")).toBe("abc");
    expect(readSessionCookie(loopback, "althing_dev=abc")).toBe("abc");
    expect(readSessionCookie(loopback, null)).toBeUndefined();
    expect(readSessionCookie(loopback, "xalthing_dev=abc; althing_devx=abc")).toBeUndefined();
  });

  it("[U-27] forgetting it ends it at once", () => {
    expect(dropSessionCookie(https)).toContain("Max-Age=0");
    expect(dropSessionCookie(loopback)).toContain("Max-Age=0");
  });
});
