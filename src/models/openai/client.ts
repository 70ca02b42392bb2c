import type { Deps, Target } from "../port.ts";

const OFFICIAL = "https://api.openai.com/v1";

/** Whether a target is the vendor's own API, which differs from the many servers that speak its wire. */
export function isOfficial({ config }: Target): boolean {
  return config.baseUrl === undefined || new URL(config.baseUrl).origin === new URL(OFFICIAL).origin;
}

/** Posts a streaming request. The SDK is loaded at the first use; what it would read from the environment is set here. */
export async function post(target: Target, deps: Deps, path: string, body: object, signal: AbortSignal) {
  const { OpenAI } = await import("openai");
  const { config, key } = target;
  const client = new OpenAI({
    // Without a key the SDK refuses to start; a header set to null is left out.
    apiKey: key ?? "none",
    ...(key === undefined ? { defaultHeaders: { authorization: null } } : {}),
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: config.baseUrl ?? OFFICIAL,
    maxRetries: 0,
    fetch: deps.fetch,
    fetchOptions: { redirect: "manual" },
    logLevel: "off",
  });
  return client.post(path, { body, signal, stream: true }).asResponse();
}
