import { CLOSE } from "../../protocol/close.ts";
import type { ErrorCode } from "../../protocol/frames.ts";

/** How a socket is closed whose person may not be here. The sentence went ahead in an error frame. */
export function closeFor(code: ErrorCode): { readonly code: number; readonly reason: string } {
  switch (code) {
    case "unauthenticated":
      return { code: CLOSE.expired, reason: "The session has ended." };
    case "not_found":
      return { code: CLOSE.gone, reason: "There is no such conversation." };
    case "unavailable":
      return { code: CLOSE.internal, reason: "The directory cannot check who you are now; connect again." };
    default:
      return { code: CLOSE.forbidden, reason: "You may not be here any more." };
  }
}
