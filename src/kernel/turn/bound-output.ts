import { cutBytes, utf8Bytes } from "../../lib/bytes.ts";
import { MAX_TOOL_OUTPUT_BYTES, MAX_TOOL_OUTPUT_LINES } from "../limits.ts";

/** A tool's text as stored: at most 50 KiB and 2,000 lines, and when cut, a last line that says what was left out. */
export function boundOutput(text: string): string {
  const lines = text.split("\n");
  const byLines = lines.length > MAX_TOOL_OUTPUT_LINES ? lines.slice(0, MAX_TOOL_OUTPUT_LINES).join("\n") : text;
  const kept = cutBytes(byLines, MAX_TOOL_OUTPUT_BYTES);
  if (kept.length === text.length) return text;
  const bytes = utf8Bytes(text);
  return `${kept}\n[Cut: the output had ${lines.length} lines and ${bytes} bytes; ${utf8Bytes(kept)} bytes are shown.]`;
}
