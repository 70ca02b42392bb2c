import { DurableObject } from "cloudflare:workers";
import { CHUNKS } from "./bench-model.ts";

/** The least an object can do for a turn: store the message, stream the answer, store the answer. The yardstick. */
export class Bare extends DurableObject {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env as never);
    ctx.storage.sql.exec("CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
  }

  override fetch(): Response {
    const pair = new WebSocketPair();
    this.ctx.acceptWebSocket(pair[1]);
    return new Response(null, { status: 101, webSocket: pair[0] });
  }

  override async webSocketMessage(socket: WebSocket, message: string): Promise<void> {
    this.ctx.storage.sql.exec("INSERT INTO messages (body) VALUES (?)", message);
    for (const text of CHUNKS) {
      await Promise.resolve();
      socket.send(JSON.stringify({ type: "delta", text }));
    }
    this.ctx.storage.sql.exec("INSERT INTO messages (body) VALUES (?)", CHUNKS.join(""));
    socket.send(JSON.stringify({ type: "done" }));
  }
}
