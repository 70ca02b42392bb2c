import { CLOSE } from "../../../src/protocol/close.ts";

/** Where the socket of the open conversation stands. `until` is in ms since 1970, `attempt` counts from 0. */
export type Connection =
  | { readonly status: "idle" }
  | { readonly status: "connecting"; readonly attempt: number }
  | { readonly status: "live" }
  | { readonly status: "waiting"; readonly why: Absence; readonly attempt: number; readonly until: number }
  | { readonly status: "ended"; readonly why: "signed_out" | "forbidden" | "gone" };

/** Why there is no connection now, though there will be one. */
export type Absence = "offline" | "restarting" | "unreachable" | "busy";

/** How a connection was lost: by a close code, or, where the browser hides the reason, by what a plain request said. */
export type Loss =
  | { readonly kind: "closed"; readonly code: number }
  | { readonly kind: "probed"; readonly status: number | undefined };

export interface Situation {
  /** Attempts since the last live connection. */
  readonly attempt: number;
  readonly online: boolean;
  readonly nowMs: number;
  /** 0 ≤ random < 1 */
  readonly random: number;
}

const FIRST_PAUSE_MS = 500;
export const MAX_PAUSE_MS = 30_000;
export const BUSY_PAUSE_MS = 10_000;

const SERVICE_RESTART = 1012;
const GOING_AWAY = 1001;

/** What follows a loss: the end, or a pause before the next attempt. */
export function decideAfterLoss(loss: Loss, situation: Situation): Connection {
  const why = loss.kind === "closed" ? readCode(loss.code) : readStatus(loss.status);
  if (why === "signed_out" || why === "forbidden" || why === "gone") return { status: "ended", why };
  const absence = why !== "busy" && !situation.online ? "offline" : why;
  const pause = Math.max(pauseMs(situation), absence === "busy" ? BUSY_PAUSE_MS : 0);
  return { status: "waiting", why: absence, attempt: situation.attempt + 1, until: situation.nowMs + pause };
}

/** A growing pause with jitter, so that many pages do not come back at one instant. */
export function pauseMs(situation: Situation): number {
  const ceiling = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(situation.attempt, 16));
  return Math.round(ceiling * (0.5 + situation.random / 2));
}

type Verdict = Absence | "signed_out" | "forbidden" | "gone";

function readCode(code: number): Verdict {
  switch (code) {
    case CLOSE.expired:
      return "signed_out";
    case CLOSE.forbidden:
      return "forbidden";
    case CLOSE.gone:
      return "gone";
    case CLOSE.rate:
      return "busy";
    case SERVICE_RESTART:
    case GOING_AWAY:
      return "restarting";
    default:
      return "unreachable";
  }
}

function readStatus(status: number | undefined): Verdict {
  switch (status) {
    case undefined:
      return "unreachable";
    case 401:
      return "signed_out";
    case 403:
      return "forbidden";
    case 404:
    case 410:
      return "gone";
    case 429:
      return "busy";
    default:
      return status >= 500 ? "restarting" : "unreachable";
  }
}
