import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** As much of Cloudflare's API as a deployment asks for: one account with databases, buckets and one Worker. */
export interface FakeCloudflare extends AsyncDisposable {
  /** For CLOUDFLARE_API_BASE_URL. */
  readonly url: string;
  /** What changed the account, in order, e.g. `create database althing`. */
  readonly changes: readonly string[];
  /** The metadata of the last upload, as text. */
  readonly uploaded: () => string;
}

interface Account {
  readonly databases: { readonly uuid: string; readonly name: string }[];
  readonly changes: string[];
  upload: string;
}

type Answer = (account: Account, body: string) => unknown;

const UUID = "11111111-1111-4111-8111-111111111111";
/** Cloudflare's error codes. */
const NO_SUCH_BUCKET = 10006;
const NO_SUCH_PATH = 10007;
const SCRIPT = "/workers/scripts/althing";

const ANSWERS: readonly (readonly [method: string, path: RegExp, answer: Answer])[] = [
  ["GET", /^\/d1\/database$/, ({ databases }) => databases],
  ["GET", /^\/d1\/database\//, ({ databases }) => databases[0]],
  ["POST", /^\/d1\/database$/, createDatabase],
  ["POST", /^\/d1\/database\/.*\/query$/, query],
  ["GET", /^\/r2\/buckets$/, () => ({ buckets: [] })],
  ["POST", /^\/r2\/buckets$/, createBucket],
  ["POST", /\/assets-upload-session$/, () => ({ jwt: "a.b.c", buckets: [] })],
  ["PUT", new RegExp(`^${SCRIPT}$`), upload],
  ["GET", /\/subdomain$/, () => ({ subdomain: "mine", enabled: true, previews_enabled: false })],
  ["POST", /\/subdomain$/, () => ({ enabled: true, previews_enabled: false })],
  ["GET", /^\/workers\/workers\/althing$/, () => ({ id: "w", subdomain: { enabled: true, previews_enabled: false } })],
];

export async function startFakeCloudflare(): Promise<FakeCloudflare> {
  const account: Account = { databases: [], changes: [], upload: "" };
  const server = createServer((request, response) => {
    void answer(account, request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/client/v4`,
    changes: account.changes,
    uploaded: () => account.upload,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(account: Account, request: IncomingMessage): Promise<{ status: number; body: unknown }> {
  const body = await text(request);
  const path = new URL(request.url ?? "/", "http://fake").pathname.replace(/^\/client\/v4\/accounts\/[^/]+/, "");
  const [, , find] = ANSWERS.find(([method, pattern]) => method === request.method && pattern.test(path)) ?? [];
  const result = find?.(account, body);
  if (result !== undefined) return { status: 200, body: { success: true, errors: [], messages: [], result } };
  const code = path.startsWith("/r2/buckets/") ? NO_SUCH_BUCKET : NO_SUCH_PATH;
  const errors = [{ code, message: `${request.method} ${path} is not here` }];
  return { status: 404, body: { success: false, errors, messages: [], result: null } };
}

function createDatabase({ databases, changes }: Account, body: string): unknown {
  const { name } = JSON.parse(body) as { name: string };
  databases.push({ uuid: UUID, name });
  changes.push(`create database ${name}`);
  return databases[0];
}

function query({ changes }: Account, body: string): unknown {
  const [, file] = /values \('([^']+)'\)/.exec(body) ?? [];
  if (file !== undefined) changes.push(`apply ${file}`);
  if (body.includes("INSERT INTO owner_codes")) changes.push("make an owner code");
  return [{ results: [], success: true, meta: {} }];
}

function createBucket({ changes }: Account, body: string): unknown {
  changes.push(`create bucket ${(JSON.parse(body) as { name: string }).name}`);
  return {};
}

function upload(account: Account, body: string): unknown {
  account.upload = body;
  account.changes.push("upload the Worker");
  return { id: "althing", etag: "e", startup_time_ms: 1, deployment_id: "d", available_on_subdomain: true };
}
