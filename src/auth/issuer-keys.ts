import type { JWTVerifyGetKey } from "jose";
import * as z from "zod";
import { abortable } from "../lib/abortable.ts";
import { askJson } from "./ask-json.ts";
import { isLoopback } from "./cookie.ts";
import { type FetchLike, PROVIDER_LIMITS } from "./provider.ts";

/** Keys are read anew after this long: one that the issuer took back counts for no longer. */
export const KEYS_MAX_AGE_MS = 10 * 60 * 1000;
/** A key that is not among the known ones makes us ask again, at most this often. */
export const UNKNOWN_KEY_PAUSE_MS = 30_000;
/** After a failure the issuer is left alone for this long. */
export const FAILURE_PAUSE_MS = 5_000;

/** The issuer could not be asked for its keys, in words for the log. Trying again may help. */
export class KeysAway extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KeysAway";
  }
}

/** What an issuer publishes. */
export interface IssuerFacts {
  /** As the issuer itself spells it: `iss` must be exactly this. */
  readonly issuer: string;
  readonly keys: JWTVerifyGetKey;
}

interface Known extends IssuerFacts {
  readonly askedAt: number;
}

interface Asking {
  readonly since: number;
  readonly done: Promise<Known>;
}

const metadataShape = z.object({ issuer: z.string(), jwks_uri: z.url() });
const keysShape = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/**
 * An issuer's published keys, found by OpenID Connect Discovery and kept in memory. However many tokens come, with whatever
 * key ids, the issuer is asked once at a time and no more often than the pauses above allow.
 */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #fetch: FetchLike;
  readonly #clock: { now(): number };
  #known: Known | undefined;
  #asking: Asking | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** @param issuer as configured; https, or http on this machine. */
  constructor(issuer: string, fetch: FetchLike, clock: { now(): number }) {
    this.#issuer = issuer;
    this.#fetch = fetch;
    this.#clock = clock;
  }

  /** @throws KeysAway */
  async read(): Promise<IssuerFacts> {
    const known = this.#known;
    return known !== undefined && this.#clock.now() - known.askedAt < KEYS_MAX_AGE_MS ? known : await this.#ask();
  }

  /**
   * What is published now, for a token whose key was not among `seen`. Undefined: there was nothing to ask for yet.
   * @throws KeysAway
   */
  async readNewer(seen: IssuerFacts): Promise<IssuerFacts | undefined> {
    const known = this.#known;
    if (known !== undefined && known !== seen) return known;
    const isDue = known === undefined || this.#clock.now() - known.askedAt >= UNKNOWN_KEY_PAUSE_MS;
    return isDue ? await this.#ask() : undefined;
  }

  async #ask(): Promise<Known> {
    const now = this.#clock.now();
    if (now - this.#failedAt < FAILURE_PAUSE_MS) throw new KeysAway("the issuer failed a moment ago");
    const asking = this.#asking;
    // A request that was given up takes its question with it, so the others wait for no longer than a question may take.
    if (asking !== undefined && now - asking.since < LONGEST_MS) {
      return await abortable(asking.done, AbortSignal.timeout(LONGEST_MS)).catch((error: unknown) => {
        throw error instanceof KeysAway ? error : new KeysAway("the issuer did not answer in time");
      });
    }
    const mine: Asking = { since: now, done: this.#load(now) };
    this.#asking = mine;
    try {
      this.#known = await mine.done;
      return this.#known;
    } catch (error) {
      this.#failedAt = this.#clock.now();
      throw error;
    } finally {
      if (this.#asking === mine) this.#asking = undefined;
    }
  }

  async #load(askedAt: number): Promise<Known> {
    const metadata = await this.#get(`${withoutSlash(this.#issuer)}/.well-known/openid-configuration`, metadataShape);
    const { issuer, jwks_uri } = metadata;
    if (withoutSlash(issuer) !== withoutSlash(this.#issuer))
      throw new KeysAway("the issuer says that it is another one");
    const where = new URL(jwks_uri);
    if (where.protocol !== "https:" && !isLoopback(where)) throw new KeysAway("the issuer's keys are not behind https");
    const published = await this.#get(jwks_uri, keysShape);
    // Loaded with the first token: no other request needs it.
    const { createLocalJWKSet } = await import("jose");
    return { issuer, keys: createLocalJWKSet(published), askedAt };
  }

  async #get<S extends z.ZodType>(url: string, shape: S): Promise<z.output<S>> {
    const answer = await askJson(this.#fetch, url, { headers: { accept: "application/json" } });
    if (!answer.ok) throw new KeysAway(answer.error);
    const read = shape.safeParse(answer.value);
    if (!read.success) throw new KeysAway(`${new URL(url).hostname} answered something else than was asked for`);
    return read.data;
  }
}

/** Discovery and keys, one after the other. */
const LONGEST_MS = 2 * PROVIDER_LIMITS.ms;

export function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "");
}
