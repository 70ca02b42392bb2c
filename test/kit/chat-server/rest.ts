import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "../../../src/protocol/frames.ts";
import { MAX_FILE_BYTES } from "../../../src/protocol/limits.ts";
import type { FileRef } from "../../../src/protocol/message.ts";
import { STATUS_OF, settingsBody } from "../../../src/protocol/rest.ts";
import type { Answer } from "./answer.ts";
import { answerHistory } from "./history-rest.ts";
import { ME, type MockHouse, type Room } from "./house.ts";
import { Refusal } from "./refusal.ts";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The REST calls below `/api/v1`, for the one owner. */
export async function answerRest(house: MockHouse, request: IncomingMessage, url: URL): Promise<Answer> {
  try {
    return await answerRoute(house, request, url);
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.code, error.message);
    throw error;
  }
}

async function answerRoute(house: MockHouse, request: IncomingMessage, url: URL): Promise<Answer> {
  const [, , , what, id, part, ref, , name] = url.pathname.split("/");
  if (what === "me") return id === undefined ? { status: 200, body: ME } : await answerOwn(house, request, url);
  if (what === "spending") return { status: 200, body: SPENT };
  if (what === "waiting") return { status: 200, body: { cards: [], more: false } };
  if (what !== "conversations") return refuse("not_found", "There is no such route.");
  if (id === undefined) return answerList(house, request, url);
  const room = house.rooms.get(id);
  if (room === undefined) return refuse("not_found", "There is no such conversation.");
  switch (part) {
    case "seen":
      house.seen.set(room.conversation.id, (await readJson<{ rev: number }>(request)).rev);
      return { status: 200, body: {} };
    case undefined:
      return answerConversation(house, room, request);
    case "entries":
      if (url.pathname.split("/")[7] !== undefined) break;
      return answerEntries(room, ref, url);
    case "holds":
      return answerArgument(room, ref, decodeURIComponent(name ?? ""));
    case "files":
      return answerFile(room, ref, request, url);
    case "export":
      return { status: 200, body: room.conversation.entries };
    default:
      break;
  }
  const rest = [part, ref, url.pathname.split("/")[7]].filter((step) => step !== undefined);
  const body = request.method === "POST" ? await readBody(request) : undefined;
  const json: unknown = body === undefined || body.length === 0 ? undefined : JSON.parse(Buffer.from(body).toString());
  return answerHistory(house, room, rest, json);
}

const SPENT = { day: "2026-11-30", today: 120_000, month: 1_400_000, caps: { perDay: 5_000_000, perMonth: null } };

/** What is below `/me`. */
async function answerOwn(house: MockHouse, request: IncomingMessage, url: URL): Promise<Answer> {
  if (url.pathname.endsWith("/spending")) return { status: 200, body: { ...SPENT, reserved: 0 } };
  if (request.method === "GET") return { status: 200, body: { notices: house.notices } };
  const { ids } = await readJson<{ ids: readonly string[] }>(request);
  house.notices = house.notices.map((notice) => (ids.includes(notice.id) ? { ...notice, read: true } : notice));
  return { status: 200, body: {} };
}

export function refuse(code: ErrorCode, message: string): Answer {
  return { status: STATUS_OF[code], body: { error: { code, message } } };
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

export async function readJson<T>(request: IncomingMessage): Promise<T> {
  return JSON.parse(Buffer.from(await readBody(request)).toString("utf8")) as T;
}

async function answerList(house: MockHouse, request: IncomingMessage, url: URL): Promise<Answer> {
  if (request.method === "POST") {
    const { id } = await readJson<{ id: string }>(request);
    house.create(id);
    return { status: 201, body: { id } };
  }
  const limit = Number(url.searchParams.get("limit") ?? 50);
  const before = Number(url.searchParams.get("before") ?? Number.POSITIVE_INFINITY);
  const rows = house.summaries().filter((row) => row.updatedAt < before);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last !== undefined ? { next: String(last.updatedAt) } : {};
  return { status: 200, body: { conversations: page, ...next } };
}

async function answerConversation(house: MockHouse, room: Room, request: IncomingMessage): Promise<Answer> {
  if (request.method === "DELETE") house.remove(room.conversation.id);
  else house.change(room, settingsBody.parse(await readJson(request)));
  return { status: 200, body: {} };
}

function answerEntries(room: Room, entry: string | undefined, url: URL): Answer {
  const c = room.conversation;
  if (entry === undefined)
    return { status: 200, body: c.page(Number.MAX_SAFE_INTEGER, Number(url.searchParams.get("limit") ?? 50)) };
  const found = c.entries.find((other) => other.id === Number(entry));
  return found === undefined ? refuse("not_found", "There is no such entry.") : { status: 200, body: found };
}

function answerArgument(room: Room, hold: string | undefined, name: string): Answer {
  const { view, entries } = room.conversation;
  const tool = view.turn?.tools.find((other) => `hold-${other.task}` === hold);
  const message = entries.find((entry) => entry.id === tool?.entry)?.message;
  const calls = message?.role === "assistant" ? message.content.filter((part) => part.type === "call") : [];
  const args = JSON.parse(calls[tool?.index ?? 0]?.args ?? "{}") as Record<string, unknown>;
  if (!Object.hasOwn(args, name)) return refuse("not_found", "There is no such argument.");
  return { status: 200, body: { value: JSON.stringify(args[name]) } };
}

async function answerFile(room: Room, id: string | undefined, request: IncomingMessage, url: URL): Promise<Answer> {
  const { files } = room.conversation;
  if (request.method === "GET") {
    const file = files.get(id ?? "");
    if (file === undefined) return refuse("not_found", "There is no such file.");
    const type = PICTURES.has(file.ref.mime) ? file.ref.mime : "application/octet-stream";
    return { status: 200, body: undefined, raw: { type, bytes: file.bytes } };
  }
  const bytes = await readBody(request);
  if (bytes.length > MAX_FILE_BYTES) return refuse("too_large", "The file is larger than 10 MiB.");
  const ref: FileRef = {
    id: `file${String(files.size + 1).padStart(22, "0")}`,
    name: url.searchParams.get("name") ?? "file",
    mime: request.headers["content-type"] ?? "application/octet-stream",
    bytes: bytes.length,
  };
  files.set(ref.id, { ref, bytes });
  return { status: 201, body: ref };
}
