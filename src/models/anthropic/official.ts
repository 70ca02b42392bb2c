import type { Target } from "../port.ts";

export const OFFICIAL = "https://api.anthropic.com";

/** Whether a target is the vendor's own API, which takes more than others that speak its wire. */
export function isOfficial({ config }: Target): boolean {
  return config.baseUrl === undefined || new URL(config.baseUrl).origin === OFFICIAL;
}
