import { nearest } from "../lib/nearest.ts";
import { type Config, configSchema } from "./config.ts";
import { validate } from "./validate.ts";

/** The operator's configuration cannot be used. The message names every faulty key. */
class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`althing.config.ts: ${faults.join("\n  ")}`);
    this.name = "ConfigError";
  }
}

/**
 * The operator's configuration, checked and with its defaults filled in.
 * @throws ConfigError naming each unknown, missing or impossible value.
 */
export function checkConfig(input: unknown): Config {
  const parsed = validate(configSchema, input);
  if (!parsed.ok) throw new ConfigError(parsed.error);
  const faults = [
    ...modelFaults(parsed.value),
    ...hostFaults(parsed.value),
    ...zoneFaults(parsed.value),
    ...issuerFaults(parsed.value),
    ...apiFaults(parsed.value),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return parsed.value;
}

function modelFaults(config: Config): string[] {
  const chosen = config.agent.model;
  if (chosen === undefined) return [];
  const known = Object.entries(config.providers).flatMap(([name, provider]) =>
    provider.models.map((model) => `${name}/${model.id}`),
  );
  // Without providers of its own a deployment has the well-known ones, which are not listed here.
  if (known.length === 0 || known.includes(chosen) || chosen.startsWith("demo/")) return [];
  const meant = nearest(chosen, known);
  const hint = meant === undefined ? "list it under providers first" : `did you mean ${meant}?`;
  return [`agent.model: ${chosen} is not a configured model; ${hint}`];
}

function hostFaults(config: Config): string[] {
  return config.allowedHosts.flatMap((host, i) => {
    const url = URL.parse(`https://${host}`);
    const plain = url !== null && url.host === host && url.pathname === "/" && url.search === "" && url.hash === "";
    return plain ? [] : [`allowedHosts.${i}: ${host} is not a plain host name such as chat.example.com`];
  });
}

function issuerFaults(config: Config): string[] {
  return Object.entries(config.signIn).flatMap(([name, provider]) => {
    if (provider.kind !== "oidc" || isSafe(new URL(provider.issuer))) return [];
    return [`signIn.${name}.issuer: ${provider.issuer} is not an https address`];
  });
}

function apiFaults(config: Config): string[] {
  const named = new Map<string, string>();
  return Object.entries(config.signIn).flatMap(([name, provider]) => {
    if (provider.kind !== "oidc" || provider.api === undefined) return [];
    const { audience, scope, role } = provider.api;
    const before = named.get(provider.issuer);
    named.set(provider.issuer, name);
    return [
      ...(scope === undefined && role === undefined
        ? [`signIn.${name}.api: name a scope or a role that a token must have`]
        : []),
      // An ID token names the client as its audience, and is for nobody but the client.
      ...(audience === provider.clientId
        ? [`signIn.${name}.api.audience: ${audience} is the clientId; access tokens need an audience of their own`]
        : []),
      ...(before === undefined ? [] : [`signIn.${name}.api: signIn.${before}.api has the same issuer already`]),
    ];
  });
}

/** On this machine itself an issuer may be reached without encryption. */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname));
}

function zoneFaults(config: Config): string[] {
  try {
    new Intl.DateTimeFormat("en", { timeZone: config.timeZone });
    return [];
  } catch {
    return [`timeZone: ${config.timeZone} is not a time zone such as Europe/Berlin`];
  }
}
