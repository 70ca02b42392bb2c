import { parseChannel } from "./channel.ts";
import type { Admission, Arrival, Claim } from "./claim.ts";

/** What becomes of a message. `claim`: who decided; absent: nobody owns the channel, or nobody was asked. */
export type Routed = Admission & { readonly claim?: string };

/** What a surface hands over: everything but whom it comes from, which is the host's to find out. */
export type Delivered = Omit<Arrival, "channel" | "speaker"> & { readonly channel: string };

/** Claims in the order in which they are asked: descending priority, then plugin order. */
export function inOrder(claims: readonly Claim[]): readonly Claim[] {
  return claims.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
}

/**
 * Decides what becomes of a message: the first claim that owns its channel decides, and the others are never asked. A
 * claim that throws fails closed.
 * @param claims in order. @param surface prefix of the surface that delivers it.
 */
export function route(
  claims: readonly Claim[],
  surface: string,
  message: Delivered,
  speaker: Arrival["speaker"],
): Routed {
  const channel = parseChannel(message.channel);
  if (channel?.surface !== surface) return drop(`The surface ${surface} has no channel ${message.channel}.`);
  if (message.text.trim() === "" && message.files === 0) return drop("The message is empty.");
  const arrival: Arrival = { ...message, channel, ...(speaker && { speaker }) };
  const claim = ownerOf(claims, arrival);
  if (claim === "failed") return drop("Whose channel this is could not be decided: tell an owner.");
  if (claim === undefined) return drop("Nothing answers in this channel: switch its plugin on.");
  const { name } = claim;
  const admission = decide(claim, arrival);
  return {
    ...(admission ?? drop(`The claim ${name} could not decide about the message: tell an owner.`)),
    claim: name,
  };
}

/** The claim that owns a channel, as far as one can be told. */
export function claimOf(claims: readonly Claim[], key: string): Claim | undefined {
  const channel = parseChannel(key);
  const claim = channel && ownerOf(claims, { channel });
  return claim === "failed" ? undefined : claim;
}

function ownerOf(
  claims: readonly Claim[],
  { channel, space }: Pick<Arrival, "channel" | "space">,
): Claim | "failed" | undefined {
  try {
    return claims.find((claim) => claim.surface === channel.surface && claim.owns(channel, space));
  } catch {
    // It may be the owner: whoever comes after it must not answer in its place.
    return "failed";
  }
}

/** Undefined: it threw, or gave what is no admission. */
function decide(claim: Claim, arrival: Arrival): Admission | undefined {
  try {
    const admission = claim.admit(arrival);
    return ["turn", "background", "drop"].includes(admission?.kind) ? admission : undefined;
  } catch {
    return undefined;
  }
}

function drop(reason: string): Routed & { readonly kind: "drop" } {
  return { kind: "drop", reason };
}
