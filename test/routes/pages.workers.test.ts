import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { LOCAL, makeEdge } from "../kit/edge.ts";

const edge = makeEdge(env);
const read = async (path: string, method = "GET") => await edge.fetch(LOCAL + path, { method });

describe("the page", () => {
  it.each(["/chat", "/claim", "/chat/0b8d6b0e-1111-4222-8333-444455556666", "/chat?conversation=x"])(
    "[V-22] %s is the page, and no cache stores it",
    async (path) => {
      const response = await read(path);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(await response.text()).toContain("the page");
    },
  );

  it("[V-22] / leads to /chat", async () => {
    const response = await read("/");
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("/chat");
  });

  it("[V-22] files with a hash in their name are kept for a year, others are asked for again", async () => {
    const hashed = await read("/assets/main-a1B2c3D4.js");
    expect(hashed.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    const icon = await read("/favicon.svg");
    expect(icon.headers.get("cache-control")).toBe("no-cache");
    expect((await read("/favicon.svg", "HEAD")).status).toBe(200);
  });

  it.each([
    "/chat/x",
    "/chat/",
    "/index.html",
    "/nothing",
    "/assets/",
    "/assets/other.js",
    "/.dev.vars",
    "/api/v1",
    "/api",
  ])("[V-22] %s is not found", async (path) => {
    const response = await read(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ error: { code: "not_found", message: "There is nothing here." } });
  });

  it("[V-23] the health check answers and tells nothing", async () => {
    const response = await read("/healthz");
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("ok");
  });
});
