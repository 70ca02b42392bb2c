import type { Target } from "../port.ts";

export const OFFICIAL = "https://api.openai.com/v1";

/** Whether a target is the vendor's own API, which differs from the many servers that speak its wire. */
export function isOfficial({ config }: Target): boolean {
  return config.baseUrl === undefined || new URL(config.baseUrl).origin === new URL(OFFICIAL).origin;
}
