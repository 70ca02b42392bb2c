import { WireFault } from "./failure.ts";

/** One server-sent event: its name (empty when the server gave none) and its data lines joined. */
export interface SseEvent {
  readonly name: string;
  readonly data: string;
}

export interface SseDecoder {
  /** The events that these bytes complete. @throws {@link WireFault} when one event grows past the limit. */
  push(bytes: Uint8Array): SseEvent[];
  /** The event that the end of the stream completes, if any. */
  end(): SseEvent[];
}

/** UTF-16 units that one unfinished event may hold: a hostile server must not fill the memory. */
export const MAX_EVENT_UNITS = 16 * 1024 * 1024;

/**
 * Decodes an event stream (comments and unknown fields are dropped, all three line ends are understood). The SDKs'
 * own decoders hide pings and comments, which keep the idle timer alive, and write unreadable events to the log.
 */
export function createSseDecoder(): SseDecoder {
  const decoder = new TextDecoder();
  let pending = "";
  let half = false;
  let held = 0;
  let name = "";
  let data: string[] = [];

  function takeLine(line: string): SseEvent | undefined {
    if (line === "") {
      const event = { name, data: data.join("\n") };
      const empty = name === "" && data.length === 0;
      [name, data, held] = ["", [], 0];
      return empty ? undefined : event;
    }
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    if (field === "event") name = value;
    if (field === "data") data.push(value);
    held += value.length;
    return undefined;
  }

  function takeLines(added: string): SseEvent[] {
    const lines = added.split("\n");
    const last = lines.pop() ?? "";
    const events: SseEvent[] = [];
    for (const line of lines) {
      const event = takeLine(pending + line);
      pending = "";
      if (event !== undefined) events.push(event);
    }
    pending += last;
    if (pending.length + held > MAX_EVENT_UNITS) throw new WireFault({ kind: "protocol", code: "endless_event" });
    return events;
  }

  return {
    push(bytes) {
      const added = (half ? "\r" : "") + decoder.decode(bytes, { stream: true });
      // A carriage return at the very end may be half of a line end: it waits for the next bytes.
      half = added.endsWith("\r");
      const whole = half ? added.slice(0, -1) : added;
      return takeLines(whole.includes("\r") ? whole.replace(/\r\n?/g, "\n") : whole);
    },
    end() {
      return takeLines(`${decoder.decode()}\n\n`);
    },
  };
}
