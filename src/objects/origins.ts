import { requestMirror } from "../host/index.ts";
import type { OriginPort } from "../kernel/index.ts";
import type { Models } from "../models/index.ts";
import type { Life } from "./conversation/life.ts";
import { forkOrigin } from "./fork/fork-origin.ts";
import { peerOf } from "./peer.ts";
import { bundleOrigin, forgetUpload } from "./transfer/bundle-origin.ts";
import { readImportOrigin } from "./transfer/bundle-place.ts";

/**
 * Where a conversation begins that did not begin empty: with another one, or with a file.
 * @param life the conversation itself, as long as it is open.
 */
export function originsOf(env: Env, { choices }: Pick<Models, "choices">, life: () => Life | undefined): OriginPort {
  const forked = forkOrigin({ bucket: env.FILES, peer: (key) => peerOf(env, key), life });
  const offers = (model: string) => choices.some(({ id }) => id === model);
  const bundled = bundleOrigin({ bucket: env.FILES, life, offers });
  return {
    isFile: ({ from }) => readImportOrigin(from) !== undefined,
    page: (ref, after, signal) => (readImportOrigin(ref.from) ? bundled : forked)(ref, after, signal),
    ended(tx) {
      requestMirror(tx);
      forgetUpload(tx, life()?.facts.origin?.key ?? "");
    },
  };
}
