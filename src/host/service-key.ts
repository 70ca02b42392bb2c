/** Names something that one plugin provides for others, and carries its type. */
export interface ServiceKey<T> {
  readonly id: string;
  /** Told when nobody provides it: what is missing and how to get it. */
  readonly absent: string;
  /** Never set: it only carries the type. */
  readonly value?: T;
}

const KEY_ID = /^[a-z][a-z0-9-]{0,63}$/;

/**
 * Declares a service.
 * @throws when the id does not match `^[a-z][a-z0-9-]{0,63}$` or `absent` is empty.
 */
export function serviceKey<T>(id: string, { absent }: { readonly absent: string }): ServiceKey<T> {
  if (!KEY_ID.test(id)) throw new Error(`Service key ${JSON.stringify(id)} must match ${KEY_ID.source}: rename it.`);
  if (absent.trim() === "") throw new Error(`Service key ${id} needs a sentence for when nobody provides it.`);
  return Object.freeze({ id, absent });
}
