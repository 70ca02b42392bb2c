import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ModelServer } from "./server.ts";

export interface Listening extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`: the base URL of the Anthropic wire; OpenAI's wires want `/v1` behind it. */
  readonly url: string;
  close(): Promise<void>;
}

/** Headers of the connection, which a request object does not take. */
const HOP_BY_HOP: ReadonlySet<string> = new Set(["host", "connection", "content-length", "transfer-encoding"]);

/** Puts a model server on a free port of the loopback interface. */
export async function listen(server: ModelServer): Promise<Listening> {
  const http = createServer((request, response) => void serve(server, request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close, [Symbol.asyncDispose]: close };
}

async function serve(server: ModelServer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  try {
    const answer = await server.fetch(await toRequest(incoming));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.flushHeaders();
    const reader = answer.body?.getReader();
    outgoing.on("close", () => void reader?.cancel().catch(() => undefined));
    for (;;) {
      const read = await reader?.read();
      if (read === undefined || read.done) break;
      // Handed to the system before the next piece, so that a socket that closes loses nothing that was sent before.
      await new Promise<unknown>((resolve) => outgoing.write(read.value, resolve));
    }
    outgoing.end();
  } catch {
    // What the server throws is a socket that closes.
    incoming.socket.destroy();
  }
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const headers = Object.entries(incoming.headers)
    .filter(([name]) => !HOP_BY_HOP.has(name))
    .map(([name, value]): [string, string] => [name, String(value)]);
  return new Request(`http://127.0.0.1${incoming.url ?? "/"}`, {
    method: incoming.method ?? "GET",
    headers,
    ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
  });
}
