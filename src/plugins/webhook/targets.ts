import { canonicalJson } from "../../lib/canonical.ts";
import { sha256Hex } from "../../lib/sha256.ts";

/** Where a webhook leads. The address may hold a secret: only its host is ever shown. */
export interface WebhookTarget {
  readonly url: string;
  /** What people read on the card, for example "the build server". */
  readonly label: string;
}

export type WebhookTargets = { readonly [name: string]: WebhookTarget };

/** The host of a target, with its port where that is not the standard one. */
export function hostOf(target: WebhookTarget): string {
  return new URL(target.url).host;
}

/** @throws when a target is not http or https, naming it. */
export function checkTargets(targets: WebhookTargets): void {
  for (const [name, { url }] of Object.entries(targets)) {
    const protocol = URL.canParse(url) ? new URL(url).protocol : "none";
    if (protocol === "http:" || protocol === "https:") continue;
    throw new Error(
      `webhooks.${name} in althing.config.ts needs an http or https address, not one of kind ${protocol}`,
    );
  }
}

/** Changes with every target's name, address and label, and shows none of them. */
export function versionOf(targets: WebhookTargets): string {
  const plain = Object.fromEntries(Object.entries(targets).map(([name, { url, label }]) => [name, [url, label]]));
  return `1-${sha256Hex(canonicalJson(plain)).slice(0, 16)}`;
}
