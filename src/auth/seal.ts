import type * as z from "zod";
import { fromBase64Url, toBase64Url } from "../lib/base64url.ts";

/**
 * Values that a browser keeps for us: readable to it, but made by nobody else. The key is derived from a provider's client
 * secret, so a deployment needs no further one, and what was begun with one provider is nothing to another.
 */
export interface Seal {
  /** The value as a cookie: `<name>.<payload>.<tag>`. */
  close(value: object): Promise<string>;
  /** The value again; undefined when it is not ours, is of another shape, or has ended. */
  open<S extends z.ZodType<{ readonly endsAt: number }>>(
    text: string,
    shape: S,
    now: number,
  ): Promise<z.output<S> | undefined>;
}

const PURPOSE = "althing sign-in v1";

/** @param name of the provider in the configuration. @param use what the value is for; other uses cannot open it. */
export function makeSeal(name: string, use: string, clientSecret: string): Seal {
  const encoder = new TextEncoder();
  const key = crypto.subtle.importKey("raw", encoder.encode(clientSecret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
  const signedText = (payload: string) => encoder.encode(`${PURPOSE}.${use}.${name}.${payload}`);

  return {
    async close(value) {
      const payload = toBase64Url(encoder.encode(JSON.stringify(value)));
      const tag = new Uint8Array(await crypto.subtle.sign("HMAC", await key, signedText(payload)));
      return `${name}.${payload}.${toBase64Url(tag)}`;
    },

    async open(text, shape, now) {
      const [, from, payload, tag] = /^([a-z0-9-]+)\.([\w-]+)\.([\w-]{43})$/.exec(text) ?? [];
      if (from !== name || payload === undefined || tag === undefined) return undefined;
      const bytes = fromBase64Url(tag);
      if (bytes === undefined || !(await crypto.subtle.verify("HMAC", await key, bytes, signedText(payload))))
        return undefined;
      const value = shape.safeParse(JSON.parse(new TextDecoder().decode(fromBase64Url(payload)))).data;
      return value !== undefined && now < value.endsAt ? value : undefined;
    },
  };
}

/** The name of the provider that a sealed value says it is from. */
export function sealedBy(text: string): string {
  return text.slice(0, Math.max(0, text.indexOf(".")));
}
