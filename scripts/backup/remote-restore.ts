import { openAsBlob } from "node:fs";
import { join } from "node:path";
import { MAX_BUNDLE_BYTES } from "../../src/protocol/bundle.ts";
import { deploymentApi } from "./deployment-api.ts";
import { describeFile } from "./hash-file.ts";
import { type Manifest, readManifest } from "./manifest.ts";

export interface RemoteRestore {
  readonly url: string;
  readonly from: string;
  readonly token: string | undefined;
}

const CREATED = 201;

/**
 * Makes a private conversation of each bundle of a backup, for whoever the token speaks for. Its id follows from the bundle:
 * done again, it makes nothing more. Gives what to tell.
 * @throws before anything is sent when a file is missing, changed or too large; afterwards what a bundle was refused for.
 */
export async function takeConversations({ url, from, token }: RemoteRestore): Promise<string> {
  const api = deploymentApi(url, token);
  const manifest = readManifest(from);
  if (manifest.kind !== "conversations") {
    throw new Error(
      `${from} is a backup of a local deployment, and people, money and objects cannot be put into a running one: restore it ` +
        "without --url, into an empty folder.",
    );
  }
  const bundles = await checkBundles(from, manifest);
  let made = 0;
  for (const { path, id } of bundles) {
    const body = await openAsBlob(join(from, path));
    const response = await api.ask(`/conversations/import?id=${id}`, { method: "POST", body });
    if (response?.status === CREATED) made++;
  }
  return `${made} conversations made, ${bundles.length - made} were there already. They are private to whoever the token speaks for; shared ones, people, cards and money stay as they are there.`;
}

async function checkBundles(from: string, { files }: Manifest) {
  const bundles: { readonly path: string; readonly id: string }[] = [];
  for (const { path, bytes, sha256 } of files) {
    const found = await describeFile(from, path).catch(() => undefined);
    if (found?.sha256 !== sha256) {
      throw new Error(
        `${path} is ${found ? "not what it was when the backup was made" : "missing"}: take another one.`,
      );
    }
    if (!path.startsWith("conversations/")) continue;
    if (bytes > MAX_BUNDLE_BYTES) {
      throw new Error(
        `${path} has ${bytes} bytes, a deployment takes ${MAX_BUNDLE_BYTES}: move it away and try again.`,
      );
    }
    bundles.push({ path, id: idFrom(sha256) });
  }
  return bundles;
}

/** A UUID of version 8 that follows from a hash. */
function idFrom(sha256: string): string {
  const hex = `${sha256.slice(0, 12)}8${sha256.slice(13, 16)}8${sha256.slice(17, 32)}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
