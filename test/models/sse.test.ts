import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WireFault } from "../../src/models/failure.ts";
import { createSseDecoder, MAX_EVENT_UNITS, type SseEvent } from "../../src/models/sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function decode(pieces: readonly Uint8Array[]): SseEvent[] {
  const decoder = createSseDecoder();
  return [...pieces.flatMap((piece) => decoder.push(piece)), ...decoder.end()];
}

describe("event streams", () => {
  it("[M-11] joins data lines, drops comments and unknown fields, and reads all three line ends", () => {
    const text = ": hi\nevent: a\ndata: 1\r\ndata:2\r\n\r\nid: 7\nretry: 5\ndata\rdata: x\r\r\n\ndata: last";
    expect(decode([bytes(text)])).toEqual([
      { name: "a", data: "1\n2" },
      { name: "", data: "\nx" },
      { name: "", data: "last" },
    ]);
  });

  it("[M-11] gives the same events whatever the pieces", () => {
    const line = fc.constantFrom("event: ä", 'data: {"x":"😀"}', "data:", "", ": ping", "data: z");
    const text = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 20 });
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }), (lines, sizes) => {
        const whole = bytes(lines.map(([content, end]) => content + end).join(""));
        const pieces: Uint8Array[] = [];
        for (let at = 0, i = 0; at < whole.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          pieces.push(whole.subarray(at, at + size));
          at += size;
        }
        expect(decode(pieces)).toEqual(decode([whole]));
      }),
    );
  });

  it("[M-5] refuses an event that never ends", () => {
    const decoder = createSseDecoder();
    const piece = bytes("x".repeat(1024 * 1024));
    decoder.push(bytes("data: "));
    expect(() => {
      for (let sent = 0; sent <= MAX_EVENT_UNITS; sent += piece.length) decoder.push(piece);
    }).toThrow(WireFault);
  });
});
