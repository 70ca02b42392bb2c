import { describe, expect, it } from "vitest";
import shipped from "../../althing.config.ts";
import { checkConfig } from "../../src/protocol/check-config.ts";

function faultOf(config: unknown): string {
  try {
    checkConfig(config);
    return "";
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "";
  }
}

const providers = { local: { kind: "openai-chat", models: [{ id: "small" }] } };

/** A sign-in provider whose access tokens are taken. */
function corp(api: object) {
  return { signIn: { corp: { kind: "oidc", issuer: "https://id.example", clientId: "c", secretFrom: "S", api } } };
}

describe("the configuration", () => {
  it("[U-37] as shipped it is good", () => {
    expect(checkConfig(shipped).name).toBe("Althing");
  });

  it("[U-37] an empty one is good", () => {
    expect(checkConfig({})).toMatchObject({ name: "Althing", timeZone: "UTC", allowedHosts: [], providers: {} });
  });

  it.each([
    [
      { signIn: { corp: { kind: "oidc", issuer: "http://id.example", clientId: "c", secretFrom: "S" } } },
      "signIn.corp.issuer: http://id.example is not an https address",
    ],
    [{ signIn: { corp: { kind: "github", clientid: "c", secretFrom: "S" } } }, "signIn.corp.clientId: "],
    [
      { signIn: { corp: { kind: "github", clientId: "c", secretFrom: "the secret itself" } } },
      "signIn.corp.secretFrom",
    ],
    [corp({ audience: "a", scop: "s" }), "signIn.corp.api.scop is not a known key; did you mean scope?"],
    [corp({ audience: "a" }), "signIn.corp.api: name a scope or a role that a token must have"],
    [corp({ scope: "s" }), "signIn.corp.api.audience: "],
    [corp({ audience: ["a"], scope: "s" }), "signIn.corp.api.audience: "],
    [corp({ audience: "a", scope: ["s"] }), "signIn.corp.api.scope: "],
    [corp({ audience: "a", scope: "two words" }), "signIn.corp.api.scope: "],
    [corp({ audience: "c", scope: "s" }), "signIn.corp.api.audience: c is the clientId"],
    [
      {
        signIn: {
          ...corp({ audience: "a", scope: "s" }).signIn,
          other: corp({ audience: "b", scope: "s" }).signIn.corp,
        },
      },
      "signIn.other.api: signIn.corp.api has the same issuer already",
    ],
    [
      { signIn: { code: { kind: "github", clientId: "c", secretFrom: "S", api: { audience: "a", scope: "s" } } } },
      "signIn.code.api is not a known key",
    ],
    [{ people: { owner: [] } }, "people.owner is not a known key; did you mean owners?"],
    [{ people: { owners: ["ada@example.com"] } }, "people.owners.0"],
    [{ people: { provisioning: "open" } }, "people.provisioning"],
    [{ agnet: {} }, "agnet is not a known key; did you mean agent?"],
    [{ agent: { modle: "x" } }, "agent.modle is not a known key; did you mean model?"],
    [
      { providers: { local: { ...providers.local, baseurl: "" } } },
      "providers.local.baseurl is not a known key; did you mean baseUrl?",
    ],
    [
      { providers: { local: { kind: "openai-chat", models: [{ id: "a", contextToken: 1 }] } } },
      "providers.local.models.0.contextToken is not a known key; did you mean contextTokens?",
    ],
    [{ zzzzzzzz: 1 }, "zzzzzzzz is not a known key; known are name, agent, providers"],
    [{ name: "" }, "name: "],
    [{ providers: { local: { kind: "telepathy", models: [{ id: "a" }] } } }, "providers.local.kind: "],
    [{ providers: { local: { kind: "openai-chat", models: [] } } }, "providers.local.models: "],
    [{ providers: { local: { kind: "openai-chat" } } }, "providers.local.models: "],
    [{ webhooks: { build: { url: "nonsense", label: "x" } } }, "webhooks.build.url: "],
    [
      { providers, agent: { model: "local/smal" } },
      "agent.model: local/smal is not a configured model; did you mean local/small?",
    ],
    [{ providers, agent: { model: "zzzzz" } }, "agent.model: zzzzz is not a configured model; list it under providers"],
    [
      { allowedHosts: ["https://chat.example.com"] },
      "allowedHosts.0: https://chat.example.com is not a plain host name",
    ],
    [{ allowedHosts: ["ok.example.com", "chat.example.com/chat"] }, "allowedHosts.1: chat.example.com/chat"],
    [{ timeZone: "Mars/Olympus" }, "timeZone: Mars/Olympus is not a time zone"],
    [null, "the whole: "],
    ["text", "the whole: "],
  ])("[U-37] %j is refused, naming what is wrong", (config, message) => {
    expect(faultOf(config)).toContain(`ConfigError: althing.config.ts: ${message}`);
  });

  it("[U-37] every fault is named at once", () => {
    const fault = faultOf({ agnet: {}, name: "", timezone: "UTC" });
    for (const key of ["agnet", "name", "timezone"]) expect(fault).toContain(key);
  });
});
