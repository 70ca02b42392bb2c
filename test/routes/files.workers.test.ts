import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { MAX_FILE_BYTES } from "../../src/protocol/limits.ts";
import type { FileRef } from "../../src/protocol/message.ts";
import { fileShape } from "../../src/routes/shapes.ts";
import { type EdgeRequest, LOCAL, makeEdge, type Visitor } from "../kit/edge.ts";
import type { FakeConversation } from "../kit/fake-conversation.ts";

const edge = makeEdge(env);
let owner: Visitor;
let id: string;
let object: FakeConversation;
let base: string;

beforeAll(async () => {
  owner = await edge.visitor();
  ({ id, object } = await edge.conversation(owner));
  base = `${LOCAL}/api/v1/conversations/${id}/files`;
});

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0];
const JPEG = [0xff, 0xd8, 0xff, 0xe0, 0, 0];
const GIF = [...new TextEncoder().encode("GIF89a......")];
const WEBP = [...new TextEncoder().encode("RIFF....WEBPVP8 ")];
const HTML = [...new TextEncoder().encode("<script>alert(document.domain)</script>")];

interface Upload extends EdgeRequest {
  readonly name?: string;
  readonly type?: string;
  readonly declared?: number | null;
}

async function upload(bytes: readonly number[] | Uint8Array | ReadableStream, more: Upload = {}): Promise<Response> {
  const { name = "file.bin", type = "application/octet-stream", declared, ...init } = more;
  const body = bytes instanceof ReadableStream ? bytes : new Uint8Array(bytes);
  const length = declared === undefined ? (body instanceof Uint8Array ? body.byteLength : null) : declared;
  const headers = { "content-type": type, ...(length === null ? {} : { "content-length": String(length) }) };
  const url = `${base}?name=${encodeURIComponent(name)}`;
  return await edge.fetch(url, { method: "POST", as: owner, body, headers, ...init });
}

async function uploaded(bytes: readonly number[], more: Upload = {}): Promise<FileRef> {
  const response = await upload(bytes, more);
  expect(response.status).toBe(201);
  return fileShape.parse(await response.json());
}

async function download(file: string, as: Visitor = owner, headers: Record<string, string> = {}): Promise<Response> {
  return await edge.fetch(`${base}/${file}`, { as, headers });
}

async function stored(): Promise<string[]> {
  return (await env.FILES.list({ prefix: `files/${id}/` })).objects.map(({ key }) => key);
}

/** A stream of chunks of 1 MiB, so many bytes in all, that counts what was asked for. */
function stream(total: number): { readonly body: ReadableStream<Uint8Array>; readonly sent: () => number } {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const size = Math.min(1024 * 1024, total - sent);
      if (size === 0) return controller.close();
      sent += size;
      controller.enqueue(new Uint8Array(size));
    },
  });
  return { body, sent: () => sent };
}

describe("uploading", () => {
  it("[V-15] a file comes back byte for byte", async () => {
    const bytes = Array.from({ length: 1_000 }, (_, i) => i % 251);
    const file = await uploaded(bytes, { name: "data.bin" });
    expect(file).toEqual({ id: file.id, name: "data.bin", mime: "application/octet-stream", bytes: 1_000 });
    expect(await stored()).toContain(`files/${id}/${file.id}`);
    const back = await download(file.id);
    expect([...new Uint8Array(await back.arrayBuffer())]).toEqual(bytes);
    expect(back.headers.get("content-length")).toBe("1000");
  });

  it("[V-15] 10 MiB are taken", async () => {
    const response = await upload(stream(MAX_FILE_BYTES).body, { declared: MAX_FILE_BYTES });
    expect(response.status).toBe(201);
    expect(object.files.get(fileShape.parse(await response.json()).id)?.bytes).toBe(MAX_FILE_BYTES);
  });

  it("[V-15] a byte more is refused as declared, before anything is read", async () => {
    const before = await stored();
    const source = stream(MAX_FILE_BYTES + 1);
    const response = await upload(source.body, { declared: MAX_FILE_BYTES + 1 });
    expect(response.status).toBe(413);
    expect(source.sent()).toBeLessThanOrEqual(1024 * 1024);
    expect(await stored()).toEqual(before);
  });

  it("[V-15] a stream that is longer than declared is cut there, and nothing stays", async () => {
    const before = await stored();
    const source = stream(64 * MAX_FILE_BYTES);
    const response = await upload(source.body, { declared: 1_000 });
    expect(response.status).toBe(400);
    expect(source.sent()).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(await stored()).toEqual(before);
  });

  it("[V-15] a stream that is shorter than declared is refused, and nothing stays", async () => {
    const before = await stored();
    expect((await upload([1, 2, 3], { declared: 1_000 })).status).toBe(400);
    expect((await upload(stream(3 * 1024 * 1024).body, { declared: 4 * 1024 * 1024 })).status).toBe(400);
    expect(await stored()).toEqual(before);
  });

  it("[V-28] one that breaks off, is too long or cannot be stored is not among the conversation's files either", async () => {
    const before = [...object.files.keys()];
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(20));
      },
      pull(controller) {
        controller.error(new Error("the line is dead"));
      },
    });
    expect((await upload(broken, { declared: 1_000 })).status).toBeGreaterThanOrEqual(400);
    expect((await upload(stream(2_000).body, { declared: 1_000 })).status).toBe(400);
    expect((await upload([1, 2, 3], { declared: 1_000 })).status).toBe(400);
    expect([...object.files.keys()]).toEqual(before);
    expect(object.seen.filter(({ method }) => method === "removeFile").length).toBeGreaterThanOrEqual(3);
  });

  it.each([null, 0, -1, 1.5, Number.NaN])("[V-15] a declared length of %j is refused", async (declared) => {
    expect((await upload([1, 2, 3], { declared })).status).toBe(400);
  });

  it("[V-16] a name may have 255 units, not 256, and must be there", async () => {
    expect((await uploaded([1], { name: "x".repeat(255) })).name).toHaveLength(255);
    expect((await upload([1], { name: "x".repeat(256) })).status).toBe(400);
    expect((await upload([1], { name: "" })).status).toBe(400);
  });

  it("[V-16] a name is kept without what could mislead", async () => {
    expect((await uploaded([1], { name: "../evil\u202egnp.exe\n" })).name).toBe(".._evilgnp.exe");
  });

  it("[V-18] the conversation decides before the bytes are stored", async () => {
    const before = await stored();
    object.refuseNext = { code: "rate_limited", message: "too many files" };
    const source = stream(8 * 1024 * 1024);
    expect((await upload(source.body, { declared: 8 * 1024 * 1024 })).status).toBe(429);
    expect(source.sent()).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(await stored()).toEqual(before);
  });

  it("[V-18] if the conversation goes while the bytes come, they go too", async () => {
    const going = await edge.conversation(owner);
    going.object.afterAddFile = () => going.object.wipe();
    const url = `${LOCAL}/api/v1/conversations/${going.id}/files?name=x`;
    const init = { method: "POST", as: owner, body: new Uint8Array([1]), headers: { "content-length": "1" } };
    expect((await edge.fetch(url, init)).status).toBe(404);
    expect((await env.FILES.list({ prefix: `files/${going.id}/` })).objects).toEqual([]);
  });

  it("[U-13] nobody else may upload here", async () => {
    const before = await stored();
    expect((await upload([1], { as: await edge.visitor("owner") })).status).toBe(404);
    expect(await stored()).toEqual(before);
  });
});

describe("kinds", () => {
  it.each([
    ["image/png", PNG],
    ["image/jpeg", JPEG],
    ["image/gif", GIF],
    ["image/webp", WEBP],
  ] as const)("[V-17] [V-19] %s is known by its bytes and shown", async (mime, bytes) => {
    const file = await uploaded(bytes, { type: "text/html" });
    expect(file.mime).toBe(mime);
    const response = await download(file.id);
    expect(response.headers.get("content-type")).toBe(mime);
    expect(response.headers.get("content-disposition")).toBeNull();
    expect(response.headers.get("content-security-policy")).toMatch(/^sandbox;/);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  });

  it.each(["image/png", "image/jpeg", "image/gif", "image/webp", "IMAGE/PNG", "image/png; charset=utf-8"])(
    "[V-17] %s without the bytes counts as unknown",
    async (type) => {
      expect((await uploaded(HTML, { type })).mime).toBe("application/octet-stream");
    },
  );

  it.each(["", "x", "text/html\u00e9", "a/b/c", "text/", `text/${"x".repeat(200)}`, "text/x y"])(
    "[V-17] the free words %j are no type",
    async (type) => {
      expect((await uploaded([1], { type })).mime).toBe("application/octet-stream");
    },
  );

  const risky = [
    "text/html",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "application/xml",
    "text/javascript",
    "application/javascript",
    "application/pdf",
    "text/css",
    "multipart/x-mixed-replace",
    "message/rfc822",
  ];

  it.each(risky)("[V-19] a stored %s is downloaded and never runs as a page", async (type) => {
    const file = await uploaded(HTML, { type, name: 'pa"ge;\u00e9.html' });
    expect(file.mime).toBe(type);
    const { headers } = await download(file.id);
    expect(headers.get("content-type")).toBe("application/octet-stream");
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="pa_ge;_.html"; filename*=UTF-8''pa%22ge%3B%C3%A9.html`,
    );
    expect(headers.get("content-security-policy")).toBe("sandbox; default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("[V-19] plain text keeps its type, and is downloaded all the same", async () => {
    const file = await uploaded(HTML, { type: "text/plain; charset=utf-8", name: "notes.txt" });
    const { headers } = await download(file.id);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(headers.get("content-disposition")).toMatch(/^attachment;/);
  });
});

describe("reading", () => {
  it("[V-20] a file is found through its own conversation only", async () => {
    const file = await uploaded([1]);
    const other = await edge.conversation(owner);
    const elsewhere = `${LOCAL}/api/v1/conversations/${other.id}/files/${file.id}`;
    expect((await edge.fetch(elsewhere, { as: owner })).status).toBe(404);
    expect((await download(file.id, await edge.visitor("owner"))).status).toBe(404);
    for (const wrong of ["x", "..%2f..", `${file.id}%00`]) expect((await download(wrong)).status).toBe(404);
  });

  it("[V-20] a file whose bytes never came is not found", async () => {
    object.files.set("half", { id: "half", name: "half", mime: "image/png", bytes: 5 });
    expect((await download("half")).status).toBe(404);
  });

  it("[V-21] it is asked for again on every use, and not sent again when it is still the same", async () => {
    const file = await uploaded([1]);
    const first = await download(file.id);
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    const etag = first.headers.get("etag") ?? "";
    const again = await download(file.id, owner, { "if-none-match": etag });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe("");
    expect((await download(file.id, await edge.visitor(), { "if-none-match": etag })).status).toBe(404);
  });
});
