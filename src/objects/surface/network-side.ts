import type { CallListing, HoldsHost } from "../../holds/index.ts";
import { completeSurface, type Host, LANE, type MessageSurface, parseChannel } from "../../host/index.ts";
import type { HostTx, Kernel, Registry, ReportPort } from "../../kernel/index.ts";
import { err } from "../../lib/result.ts";
import type { ConversationFacts } from "../../people/facts.ts";
import type { Config } from "../../protocol/config.ts";
import type { KernelEvent } from "../../protocol/frames.ts";
import { laneHooks, promiseList, requestSending } from "./surface-lane.ts";
import { SurfacePresence } from "./surface-presence.ts";

interface NetworkParts {
  readonly host: Host;
  readonly facts: ConversationFacts;
  readonly config: Config;
  readonly ports: { readonly report: ReportPort };
}

/** Calls to list, inside a commit. */
type ToList = (tx: HostTx) => readonly string[];

/** The network of a conversation that is sent messages; undefined: its clients follow the conversation itself. */
export function messageSurfaceOf(host: Pick<Host, "surfaceOf">, key: string): MessageSurface | undefined {
  const surface = host.surfaceOf(parseChannel(key)?.surface ?? "");
  return surface?.kind === "messages" ? surface : undefined;
}

/** What a conversation has besides when it lives on a network that is sent messages. */
export class NetworkSide {
  readonly #surface: MessageSurface;
  readonly #parts: NetworkParts;
  readonly #presence: SurfacePresence;

  private constructor(surface: MessageSurface, parts: NetworkParts) {
    this.#surface = surface;
    this.#parts = parts;
    this.#presence = new SurfacePresence(completeSurface(surface, parts.ports.report.report), parts.facts.key);
  }

  /** Undefined: its clients follow the conversation itself. */
  static of(parts: NetworkParts): NetworkSide | undefined {
    const surface = messageSurfaceOf(parts.host, parts.facts.key);
    return surface && new NetworkSide(surface, parts);
  }

  /** Before the plugins: a question that cannot be shown must not park. */
  register(registry: Registry, toList: ToList): void {
    registry.namespace(LANE);
    registry.hooks(LANE, laneHooks(this.#parts.host, this.#surface, toList));
  }

  /** What changes about a hold is told there; without cards calls are listed. */
  withHolds(host: HoldsHost, toList: ToList): HoldsHost {
    const changed = (tx: HostTx) => {
      host.changed(tx);
      requestSending(tx);
    };
    return { ...host, changed, ...(!this.#surface.prompts && { listing: this.#listing(toList) }) };
  }

  follow(control: Kernel["control"], events: readonly KernelEvent[]): void {
    this.#presence.follow(control, events);
  }

  #listing(toList: ToList): CallListing {
    const { host, config } = this.#parts;
    return {
      async judge(question, signal) {
        const judge = host.providers.get("judge");
        return judge ? judge.judge(question, signal) : err("This deployment has no judge.");
      },
      minConfidence: config.policy.messageConfidence,
      // What waits since this commit is on the list, too.
      unlisted: (tx) => promiseList(tx, toList(tx)),
    };
  }
}
