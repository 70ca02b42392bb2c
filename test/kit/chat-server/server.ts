import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { type WebSocket, WebSocketServer } from "ws";
import { CHAT_PROTOCOL, CLOSE } from "../../../src/protocol/close.ts";
import { clientFrame, type ServerFrame } from "../../../src/protocol/frames.ts";
import type { Answer } from "./answer.ts";
import { MockHouse } from "./house.ts";
import { answerRest, readJson, refuse } from "./rest.ts";

const COOKIE = "althing_mock";

/** The content policy of the real server. */
const POLICY =
  "default-src 'self'; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A mock of the chat server: serves the page, speaks the protocol, and misbehaves when told to. */
export class ChatServer {
  readonly house = new MockHouse();
  readonly #dist: string;
  readonly #sessions = new Set<string>();
  readonly #codes = new Set<string>();
  readonly #sockets = new Set<WebSocket>();
  #isDown = false;
  /** Changes what a socket is sent: drop a frame by giving none, double it by giving two. */
  distort: (frame: ServerFrame) => readonly ServerFrame[] = (frame) => [frame];
  readonly #http = createServer((request, response) => void this.#serve(request, response));
  readonly #ws = new WebSocketServer({ noServer: true, handleProtocols: () => CHAT_PROTOCOL });

  constructor(dist: string) {
    this.#dist = dist;
    this.#http.on("upgrade", (request, socket, head) => {
      const id = new URL(request.url ?? "/", "http://mock").searchParams.get("conversation") ?? "";
      const isKnown = this.house.rooms.has(id);
      if (this.#isDown || !this.#isSignedIn(request) || !isKnown) return socket.destroy();
      this.#ws.handleUpgrade(request, socket, head, (ws) => this.#attach(ws, id));
    });
  }

  /** @returns the base URL. */
  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(port, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const { turns } of this.house.rooms.values()) turns.crash();
    for (const socket of this.#sockets) socket.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  newCode(): string {
    const code = randomUUID().replaceAll("-", "");
    this.#codes.add(code);
    return code;
  }

  /** Cuts every socket as a broken network does. */
  dropSockets(): void {
    for (const socket of this.#sockets) socket.terminate();
  }

  /** The process dies: sockets break, requests fail, running steps are lost. */
  kill(): void {
    this.#isDown = true;
    for (const { turns } of this.house.rooms.values()) turns.crash();
    this.dropSockets();
  }

  /** The process is back and goes on where the commits stand. */
  revive(): void {
    this.#isDown = false;
    for (const { turns } of this.house.rooms.values()) turns.resume();
  }

  /** Ends every session, as "sign out everywhere" from another place does. */
  endSessions(): void {
    this.#sessions.clear();
    for (const socket of this.#sockets) socket.close(CLOSE.expired, "session ended");
  }

  #attach(socket: WebSocket, id: string): void {
    const room = this.house.rooms.get(id);
    if (room === undefined) return socket.close(CLOSE.gone);
    const send = (frame: ServerFrame): void => {
      for (const shown of this.distort(frame)) socket.send(JSON.stringify(shown));
    };
    this.#sockets.add(socket);
    room.conversation.listeners.add(send);
    socket.on("message", (data) => {
      const parsed = clientFrame.safeParse(JSON.parse((data as Buffer).toString("utf8")));
      if (parsed.success) this.house.handle(room, parsed.data, send);
      else send({ type: "error", code: "bad_frame", message: parsed.error.message });
    });
    socket.on("close", () => {
      this.#sockets.delete(socket);
      room.conversation.listeners.delete(send);
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#isDown) return void response.destroy();
    const url = new URL(request.url ?? "/", "http://mock");
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("x-content-type-options", "nosniff");
    if (url.pathname.startsWith("/auth/") || url.pathname.startsWith("/api/")) {
      return this.#reply(response, await this.#answer(request, url, response));
    }
    if (url.pathname === "/") return void response.writeHead(302, { location: "/chat" }).end();
    this.#serveFile(url.pathname, response);
  }

  async #answer(request: IncomingMessage, url: URL, response: ServerResponse): Promise<Answer> {
    if (url.pathname === "/auth/claim") {
      const { code } = await readJson<{ code: string }>(request);
      if (!this.#codes.delete(code))
        return refuse("unauthenticated", "This code is not valid: it was used, or it is too old.");
      const session = randomUUID();
      this.#sessions.add(session);
      response.setHeader("set-cookie", `${COOKIE}=${session}; HttpOnly; SameSite=Lax; Path=/`);
      return { status: 200, body: {} };
    }
    if (url.pathname === "/api/v1/sign-in") return { status: 200, body: { providers: this.house.providers } };
    if (!this.#isSignedIn(request)) return refuse("unauthenticated", "Sign in first.");
    if (url.pathname === "/auth/signout") {
      const { everywhere } = await readJson<{ everywhere?: boolean }>(request);
      if (everywhere === true) this.endSessions();
      else this.#sessions.delete(this.#sessionOf(request));
      return { status: 200, body: {} };
    }
    return answerRest(this.house, request, url);
  }

  #reply(response: ServerResponse, answer: Answer): void {
    if (answer.raw !== undefined) {
      response.writeHead(answer.status, { "content-type": answer.raw.type }).end(answer.raw.bytes);
      return;
    }
    response.writeHead(answer.status, { "content-type": "application/json" }).end(JSON.stringify(answer.body));
  }

  #serveFile(path: string, response: ServerResponse): void {
    const file = join(this.#dist, normalize(path));
    const isPage = path === "/claim" || path === "/chat" || path.startsWith("/chat/");
    const found = isPage ? join(this.#dist, "index.html") : file;
    if (!found.startsWith(this.#dist) || !existsSync(found)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(found)] ?? "application/octet-stream" });
    response.end(readFileSync(found));
  }

  #isSignedIn(request: IncomingMessage): boolean {
    return this.#sessions.has(this.#sessionOf(request));
  }

  #sessionOf(request: IncomingMessage): string {
    const cookie = request.headers.cookie?.split("; ").find((part) => part.startsWith(`${COOKIE}=`));
    return cookie?.slice(COOKIE.length + 1) ?? "";
  }
}
