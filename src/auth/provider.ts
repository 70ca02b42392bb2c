import type { Result } from "../lib/result.ts";
import type { KnownIdentity } from "./link-code.ts";

/** `fetch`, as far as providers are asked. */
export type FetchLike = (input: string, init: RequestInit) => Promise<Response>;

/** How long a provider may take to answer, and how much it may say. */
export const PROVIDER_LIMITS = { ms: 10_000, bytes: 256 * 1024 } as const;

/** What one sign-in has in common from its start to its callback. All but the address is random. */
export interface SignInRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE code verifier. */
  readonly verifier: string;
}

/** Somebody who says who a browser's person is. */
export interface Provider {
  /** Where the browser is sent. @throws when the provider cannot be asked. */
  authorizeUrl(request: SignInRequest): Promise<URL>;
  /**
   * Who came back. @param callback the address that the browser came back to.
   * @returns why it is nobody, in words for the log.
   */
  identify(request: SignInRequest, callback: URL): Promise<Result<KnownIdentity, string>>;
}
