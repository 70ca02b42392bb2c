import { createHash } from "node:crypto";
import { createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as z from "zod";
import { erasuresShape } from "../../src/protocol/erasures.ts";
import { type DeploymentApi, deploymentApi } from "./deployment-api.ts";
import { describeFile } from "./hash-file.ts";
import { requireFresh } from "./make-backup.ts";
import { type Erased, MANIFEST, type Manifest, newManifest } from "./manifest.ts";
import { filesIn } from "./state-files.ts";

const PAGE = 100;
const NOT_FOUND = 404;
const FORBIDDEN = 403;

const listShape = z.object({ conversations: z.array(z.object({ id: z.uuid() })), next: z.string().optional() });

export interface RemoteOrder {
  readonly url: string;
  readonly to: string;
  /** Of the deployment's sign-in provider. */
  readonly token: string | undefined;
  readonly now: Date;
}

/**
 * Brings the conversations that whoever the token speaks for may read from a running deployment, each of one moment of its own,
 * and for an owner the audit and the list of who was erased.
 * @throws when the folder holds something already, the deployment refuses, or an answer breaks off.
 */
export async function bringConversations({ url, to, token, now }: RemoteOrder): Promise<Manifest> {
  const api = deploymentApi(url, token);
  requireFresh(to);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  try {
    for await (const id of listConversations(api)) {
      const path = `conversations/${id}.ndjson`;
      // Deleted since it was listed: then it is not to be kept.
      if (await save(api, `/conversations/${id}/export?format=ndjson`, join(to, path))) requireWhole(to, path);
    }
    await save(api, "/audit/export", join(to, "audit.ndjson"));
    const erased = await listErased(api);
    const files: Manifest["files"] = [];
    for (const path of filesIn(to)) files.push(await describeFile(to, path));
    const manifest = { ...newManifest("conversations", now), erased, files };
    writeFileSync(join(to, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
    return manifest;
  } catch (error) {
    rmSync(to, { recursive: true, force: true });
    throw error;
  }
}

async function* listConversations(api: DeploymentApi): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (let before = ""; ; ) {
    const page = listShape.parse(await (await api.ask(`/conversations?limit=${PAGE}${before}`))?.json());
    for (const { id } of page.conversations) {
      // What is said meanwhile moves up in the list.
      if (!seen.has(id)) yield id;
      seen.add(id);
    }
    if (page.next === undefined) return;
    before = `&before=${encodeURIComponent(page.next)}`;
  }
}

/** False: it is not there, or not for this person. */
async function save(api: DeploymentApi, path: string, target: string): Promise<boolean> {
  const response = await api.ask(path, { absent: [NOT_FOUND, FORBIDDEN] });
  if (!response?.body) return false;
  mkdirSync(dirname(target), { recursive: true });
  await pipeline(response.body as unknown as AsyncIterable<Uint8Array>, createWriteStream(target));
  return true;
}

/** @throws when the bundle broke off: its end says what all lines before it are. */
function requireWhole(folder: string, path: string): void {
  const bytes = readFileSync(join(folder, path));
  const from = bytes.lastIndexOf(10, bytes.length - 2) + 1;
  const end = z.object({ end: z.object({ sha256: z.string() }) }).safeParse(parse(bytes.subarray(from).toString()));
  const sha256 = createHash("sha256").update(bytes.subarray(0, from)).digest("hex");
  if (end.data?.end.sha256 !== sha256) throw new Error(`${path} broke off on its way: make the backup again.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function listErased(api: DeploymentApi): Promise<Erased[]> {
  const erased: Erased[] = [];
  for (let before = ""; ; ) {
    const response = await api.ask(`/people/erasures?limit=${PAGE}${before}`, { absent: [FORBIDDEN] });
    if (!response) return erased;
    const page = erasuresShape.parse(await response.json());
    erased.push(...page.erasures.map(({ person, orderedBy, begunAt }) => ({ person, by: orderedBy, at: begunAt })));
    if (page.next === undefined) return erased;
    before = `&before=${encodeURIComponent(page.next)}`;
  }
}
