import { describe, expect, it } from "vitest";
import { makeMockWorld } from "./mock-world.ts";
import { visitWorld } from "./visit-world.ts";

describe("signing in by a provider", () => {
  const { world, door } = visitWorld(makeMockWorld);

  it("[L-65] each provider has a link that comes back to the conversation; the code stays below", async () => {
    world().server.house.providers = [
      { name: "home", label: "Home <b>ID</b>" },
      { name: "github", label: "GitHub" },
    ];
    await using visited = await door().stranger();
    const { page } = visited;
    const path = "/chat/0b7a4f0e-6f0e-4d6e-9d1a-2f5b6c7d8e9f";
    await page.goto(`${world().url}${path}`);
    const link = page.getByRole("link", { name: "Sign in with Home <b>ID</b>" });
    await link.waitFor();
    expect(await link.getAttribute("href")).toBe(`/auth/home/start?return=${encodeURIComponent(path)}`);
    expect(await page.getByRole("navigation", { name: "Ways to sign in" }).getByRole("link").count()).toBe(2);
    await page.getByLabel("One-time code").waitFor();
    world().server.house.providers = [];
    await page.reload();
    await page.getByLabel("One-time code").waitFor();
    expect(await page.getByRole("link").count()).toBe(0);
  });

  it("[L-66] what came to nothing is said once, and is gone from the address", async () => {
    await using visited = await door().stranger();
    const { page } = visited;
    await page.goto(`${world().url}/chat#sign-in=not-admitted`);
    await page.getByRole("alert").filter({ hasText: "Ask an owner of this server" }).waitFor();
    expect(page.url()).toBe(`${world().url}/chat`);
    await page.reload();
    await page.getByLabel("One-time code").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });
});
