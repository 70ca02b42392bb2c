import type { Tier } from "../../people/facts.ts";

/** Who asks, and what. */
export interface PluginRequest {
  readonly principalId: string;
  /** The person's tier now. */
  readonly tier: Tier;
  readonly url: URL;
  /** The parts of the path that the route names. */
  readonly params: { readonly [name: string]: string };
  /** Empty for GET. At most {@link MAX_ROUTE_BODY_BYTES}. */
  readonly body: string;
  /** Aborts when the answer comes too late. */
  readonly signal: AbortSignal;
}

/** Bytes of a body that a route is given. */
export const MAX_ROUTE_BODY_BYTES = 256 * 1024;
/** How long a route may take. */
export const MAX_ROUTE_MS = 30_000;

/** Something that answers under `/plugins/<plugin>/`, for people who are signed in. */
export interface PluginRoute {
  readonly method: "GET" | "POST" | "DELETE";
  /** After `/plugins/<plugin>`, e.g. `/scores/:game`. */
  readonly path: string;
  /** Who may call it: people of this tier or above. */
  readonly tier: Tier;
  handle(request: PluginRequest): Promise<Response>;
}
