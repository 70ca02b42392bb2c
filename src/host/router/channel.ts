/** One channel of a surface. Its key names the conversation. */
export interface Channel {
  /** `<surface>:<id>` */
  readonly key: string;
  readonly surface: string;
  readonly id: string;
}

/** A surface's prefix: what stands before the first colon of its keys. */
export const SURFACE_PREFIX = /^[a-z][a-z0-9-]{0,31}$/;
const MAX_KEY_UNITS = 300;

/** Splits a channel key at its first colon. Undefined: it is none. */
export function parseChannel(key: string): Channel | undefined {
  const colon = key.indexOf(":");
  const [surface, id] = [key.slice(0, Math.max(0, colon)), key.slice(colon + 1)];
  if (!SURFACE_PREFIX.test(surface) || id === "" || key.length > MAX_KEY_UNITS) return undefined;
  return { key, surface, id };
}
