import type { Complaints } from "./check-common.ts";
import { type Obj, obj } from "./reading.ts";
import type { Reply, Vendor } from "./replies.ts";
import { streamAnswer } from "./stream.ts";
import type { VendorWire } from "./wire.ts";
import { anthropicWire } from "./wire-anthropic.ts";
import { chatWire } from "./wire-chat.ts";
import { responsesWire } from "./wire-responses.ts";

const WIRES: readonly VendorWire[] = [anthropicWire, chatWire, responsesWire];

/** One request as it came, and what the vendor would say of it. */
export interface RecordedRequest {
  readonly vendor: Vendor;
  readonly path: string;
  readonly headers: Headers;
  readonly body: Obj;
  /** Why the vendor refuses it; empty when it is good. */
  readonly complaints: Complaints;
  /** Reasoning blocks that the vendor would leave out because the prompt before them changed. */
  readonly dropped: number;
}

export interface ModelServer {
  /** Scripts what comes next, one reply a request. After the last one, `Hello.` is answered. */
  reply(...replies: Reply[]): void;
  readonly requests: readonly RecordedRequest[];
  /** Answers that are being streamed. */
  readonly live: number;
  /** Answers a request without any network; rejects where a socket would close before its first byte. */
  fetch(request: Request): Promise<Response>;
}

/** A model vendor on three wires. With `key`, other keys are refused. */
export function createModelServer(options: { readonly key?: string } = {}): ModelServer {
  const script: Reply[] = [];
  const requests: RecordedRequest[] = [];
  const live = new Set<AsyncGenerator>();
  return {
    reply: (...replies) => void script.push(...replies),
    requests,
    get live() {
      return live.size;
    },
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const wire = WIRES.find(({ paths }) => paths.includes(pathname));
      if (wire === undefined) return json(404, { error: { message: `no route ${pathname}` } });
      const body = obj(await request.json());
      const complaints = wire.check(body, request.headers);
      const { headers } = request;
      requests.push({ vendor: wire.vendor, path: pathname, headers, body, complaints, dropped: wire.dropped(body) });
      if (options.key !== undefined && headers.get("authorization") !== `Bearer ${options.key}`) {
        return refusal(wire, "bad_key");
      }
      const reply = script.shift() ?? { text: ["Hello."] };
      if (complaints.length > 0) return json(400, { error: { type: "invalid_request_error", message: complaints[0] } });
      return answer(reply, wire, body, { turn: requests.length, live });
    },
  };
}

interface Place {
  readonly turn: number;
  readonly live: Set<AsyncGenerator>;
}

function answer(reply: Reply, wire: VendorWire, body: Obj, { turn, live }: Place): Response {
  if ("drop" in reply) throw new TypeError("the scripted socket closes before any byte");
  if ("page" in reply) {
    const status = "status" in reply ? reply.status : 200;
    return new Response(reply.page, { status, headers: { "content-type": "text/html; charset=utf-8" } });
  }
  if ("refuse" in reply) return refusal(wire, reply.refuse, reply.headers);
  const events = wire.render(reply, body, turn);
  return new Response(
    toStream((gone) => streamAnswer(reply, events, wire, gone), live),
    {
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
    },
  );
}

function refusal(wire: VendorWire, kind: Parameters<VendorWire["refuse"]>[0], headers = {}): Response {
  const { status, body } = wire.refuse(kind);
  return json(status, body, headers);
}

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(body, { status, headers });
}

/** A generator as a byte stream that aborts it when the reader leaves. */
function toStream(
  make: (gone: AbortSignal) => AsyncGenerator<Uint8Array>,
  live: Set<AsyncGenerator>,
): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const chunks = make(gone.signal);
  live.add(chunks);
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await chunks.next();
        if (next.done !== true) return controller.enqueue(next.value);
        live.delete(chunks);
        controller.close();
      } catch (error) {
        live.delete(chunks);
        controller.error(error);
      }
    },
    cancel() {
      live.delete(chunks);
      gone.abort();
    },
  });
}
