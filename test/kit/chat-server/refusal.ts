import type { ErrorCode } from "../../../src/protocol/frames.ts";

/** What the mock does not do, with the code that the client gets. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
