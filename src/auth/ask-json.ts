import { readLimited } from "../lib/read-limited.ts";
import { err, ok, type Result } from "../lib/result.ts";
import { type FetchLike, PROVIDER_LIMITS } from "./provider.ts";

/** The JSON that a provider answers with 200. The failure, in words for the log, names neither code nor token. */
export async function askJson(
  fetch: FetchLike,
  url: string,
  init: Omit<RequestInit, "redirect" | "signal">,
): Promise<Result<unknown, string>> {
  const signal = AbortSignal.timeout(PROVIDER_LIMITS.ms);
  const where = new URL(url).hostname;
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    const { bytes, cut } = await readLimited(response, PROVIDER_LIMITS.bytes, signal);
    if (response.status !== 200) return err(`${where} answered ${response.status}`);
    return cut
      ? err(`${where} answered more than ${PROVIDER_LIMITS.bytes} bytes`)
      : ok(JSON.parse(new TextDecoder().decode(bytes)));
  } catch (error) {
    return err(`${where} could not be asked: ${error instanceof Error ? error.name : "unknown"}`);
  }
}
