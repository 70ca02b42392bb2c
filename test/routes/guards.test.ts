import { describe, expect, it } from "vitest";
import { allowedHosts, guardHost, guardScheme } from "../../src/routes/guards/host.ts";
import { guardOrigin } from "../../src/routes/guards/origin.ts";
import { Refuse } from "../../src/routes/refusal.ts";

function statusOf(run: () => unknown): number {
  try {
    run();
    return 200;
  } catch (error) {
    if (error instanceof Refuse) return error.status;
    throw error;
  }
}

const hosts = allowedHosts(["Chat.Example.com", "chat.example.org:8443"], "8787");

describe("the host guard", () => {
  const table: readonly (readonly [string, string | null, number])[] = [
    ["https://chat.example.com/", "chat.example.com", 200],
    ["https://chat.example.com/", null, 200],
    ["https://chat.example.com/", "chat.example.com:443", 200],
    ["https://chat.example.org:8443/", "chat.example.org:8443", 200],
    ["http://127.0.0.1:8787/", "127.0.0.1:8787", 200],
    ["http://localhost:8787/", "localhost:8787", 200],
    ["http://localhost:8787/", "LOCALHOST:8787", 200],
    ["http://127.0.0.1:8788/", "127.0.0.1:8788", 421],
    ["http://127.0.0.1/", "127.0.0.1", 421],
    ["http://[::1]:8787/", "[::1]:8787", 421],
    ["http://evil.example:8787/", "evil.example:8787", 421],
    ["https://chat.example.com.evil.net/", "chat.example.com.evil.net", 421],
    ["https://evil-chat.example.com/", "evil-chat.example.com", 421],
    ["https://chat.example.com./", "chat.example.com.", 421],
    ["https://chat.example.org/", "chat.example.org", 421],
    ["https://chat.example.com/", "evil.example", 421],
    ["https://evil.example/", "chat.example.com", 421],
    ["https://chat.example.com/", "chat.example.com, evil.example", 421],
    ["https://chat.example.com/", "", 421],
  ];

  it.each(table)("[U-28] %s with Host %s gets %i", (url, host, status) => {
    expect(statusOf(() => guardHost(new URL(url), host, hosts))).toBe(status);
  });

  it("[U-28] loopback names are allowed in local development only", () => {
    const deployed = allowedHosts(["chat.example.com"], undefined);
    expect(statusOf(() => guardHost(new URL("http://127.0.0.1:8787/"), null, deployed))).toBe(421);
  });
});

describe("the scheme guard", () => {
  it("[U-31] https and loopback pass", () => {
    expect(guardScheme(new URL("https://chat.example.com/"), "POST")).toBeUndefined();
    expect(guardScheme(new URL("http://127.0.0.1:8787/"), "POST")).toBeUndefined();
  });

  it("[U-31] plain http elsewhere leads to https, or is refused when it would change something", () => {
    const url = new URL("http://chat.example.com/chat?a=b");
    expect(guardScheme(url, "GET")?.href).toBe("https://chat.example.com/chat?a=b");
    expect(statusOf(() => guardScheme(url, "POST"))).toBe(403);
  });
});

describe("the origin guard", () => {
  const url = new URL("http://127.0.0.1:8787/api/v1/me");
  const foreign = [
    "null",
    "",
    "http://127.0.0.1",
    "http://127.0.0.1:8788",
    "https://127.0.0.1:8787",
    "http://localhost:8787",
    "http://127.0.0.1:8787.evil.net",
    "http://127.0.0.1:87870",
    "http://127.0.0.1:8787/",
    "http://evil.net/http://127.0.0.1:8787",
    "http://127.0.0.1:8787@evil.net",
    "http://127.0.0.1:8787, http://127.0.0.1:8787",
    "HTTP://127.0.0.1:8787",
  ];

  function status(method: string, headers: Record<string, string>): number {
    return statusOf(() => guardOrigin(url, method, new Headers(headers)));
  }

  it.each(["POST", "PATCH", "DELETE", "PUT", "OPTIONS"])("[U-29] %s needs the exact Origin", (method) => {
    expect(status(method, { origin: "http://127.0.0.1:8787" })).toBe(200);
    expect(status(method, {})).toBe(403);
    for (const origin of foreign) expect(status(method, { origin })).toBe(403);
  });

  it("[U-30] a read may lack it, but not bring a foreign one", () => {
    expect(status("GET", {})).toBe(200);
    expect(status("GET", { origin: "http://127.0.0.1:8787" })).toBe(200);
    for (const origin of foreign) expect(status("GET", { origin })).toBe(403);
  });

  it("[U-30] an upgrade needs it", () => {
    expect(status("GET", { upgrade: "websocket", origin: "http://127.0.0.1:8787" })).toBe(200);
    expect(status("GET", { upgrade: "websocket" })).toBe(403);
    for (const origin of foreign) expect(status("GET", { upgrade: "websocket", origin })).toBe(403);
  });
});
