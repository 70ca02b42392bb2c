import * as z from "zod";
import { utf8Bytes } from "../../lib/bytes.ts";
import { cutText } from "../../lib/cut.ts";
import { err, type Result } from "../../lib/result.ts";
import { type ClientFrame, clientFrame, type ErrorCode } from "../../protocol/frames.ts";
import { MAX_FRAME_BYTES } from "../../protocol/limits.ts";

/** Why a frame was not understood. `ref` repeats the client's own id, where one can be read. */
export interface FrameFault {
  readonly code: Extract<ErrorCode, "bad_frame" | "too_large">;
  readonly message: string;
  readonly ref?: string;
}

/** Reads one frame. Never throws, whatever the bytes are. */
export function parseFrame(raw: string | ArrayBuffer): Result<ClientFrame, FrameFault> {
  if (typeof raw !== "string") return fault("bad_frame", "Frames are JSON text, not binary.");
  if (raw.length > MAX_FRAME_BYTES || utf8Bytes(raw) > MAX_FRAME_BYTES) {
    return fault("too_large", `A frame may have ${MAX_FRAME_BYTES} bytes, this one has more: send less at once.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch {
    return fault("bad_frame", "The frame is not valid JSON.");
  }
  const parsed = clientFrame.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return fault("bad_frame", cutText(z.prettifyError(parsed.error), MAX_FAULT_UNITS), refOf(value));
}

function fault(code: FrameFault["code"], message: string, ref?: string): Result<never, FrameFault> {
  return err({ code, message, ...(ref !== undefined && { ref }) });
}

/** A frame may have thousands of faults; the first of them say enough. */
const MAX_FAULT_UNITS = 500;
const MAX_REF_UNITS = 128;

function refOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { id, hold, prompt, input } = value as { readonly [key: string]: unknown };
  const ref = [id, hold, prompt, input].find((candidate) => typeof candidate === "string");
  return typeof ref === "string" && ref.length <= MAX_REF_UNITS ? ref : undefined;
}
