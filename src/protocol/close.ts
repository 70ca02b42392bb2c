/** Constants of the socket that the page needs without the validators (and their library) coming along. */

/** The socket's subprotocol. */
export const CHAT_PROTOCOL = "althing.chat.v1";

/** Why a socket was closed. */
export const CLOSE = {
  /** The session ended or was revoked: sign in again. */
  expired: 4401,
  /** The person may no longer be here. */
  forbidden: 4403,
  /** The conversation was deleted. */
  gone: 4404,
  rate: 1008,
  tooBig: 1009,
  internal: 1011,
} as const;
