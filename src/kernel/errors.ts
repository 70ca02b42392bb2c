/** Stable codes of what the kernel refuses. */
export type KernelErrorCode =
  | "not_json"
  | "too_large"
  | "nested_commit"
  | "async_commit"
  | "dead_transaction"
  | "stale_definition"
  | "duplicate_name"
  | "unknown_key"
  | "storage_failed"
  | "no_conversation"
  | "migration_mismatch"
  | "forbidden"
  | "no_such_task"
  | "no_such_call"
  | "not_quiescent"
  | "revoked";

/** A refusal by the kernel: wrong use, a limit, or a dead handle. Nothing was written. */
export class KernelError extends Error {
  override readonly name = "KernelError";
  readonly code: KernelErrorCode;
  constructor(code: KernelErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** True for a commit that came too late: its task ended, was stopped, or its kernel is gone. */
export function isRevoked(error: unknown): boolean {
  return error instanceof KernelError && error.code === "revoked";
}
