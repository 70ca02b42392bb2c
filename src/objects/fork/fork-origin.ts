import { inheritConstraints } from "../../holds/index.ts";
import type { OriginPort } from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import type { OnBehalf } from "../../people/facts.ts";
import { FILES } from "../../surfaces/webchat/files-state.ts";
import { cutPage } from "../conversation/cut-page.ts";
import type { Life } from "../conversation/life.ts";
import { takeSettings } from "../conversation/take-settings.ts";
import { copyFiles, registerFiles } from "../files/stored-files.ts";
import type { ObjectRpc, Refusal } from "../rpc.ts";

/** What the fork's side of a copy works with. */
export interface ForkOriginParts {
  readonly bucket: R2Bucket;
  readonly peer: (key: string) => ObjectRpc;
  /** The fork itself, as long as it is open. */
  readonly life: () => Life | undefined;
}

/**
 * Reads the conversation that a fork comes from, in the name of the fork's owner and nothing else. The files of a page are
 * copied before it counts, and it is cut where they are too many.
 */
export function forkOrigin({ bucket, peer, life }: ForkOriginParts): OriginPort["page"] {
  return async ({ from, at }, after, signal) => {
    const fork = life();
    if (!fork) throw new Error("the fork is not open");
    const caller: OnBehalf = { principalId: fork.facts.owner };
    const answer = await peer(from).forkPage(caller, { at, after });
    if (!answer.ok) return refuse(answer.error);
    const { page, files } = cutPage(answer.value.page, (id) => Object.hasOwn(fork.kernel.get(FILES).files, id));
    const copied = await copyFiles(bucket, { from, to: fork.facts.key, files, signal });
    const { chat, constraints = [] } = answer.value;
    return ok({
      page,
      calls: 1 + 2 * files.length,
      place(tx) {
        registerFiles(tx, copied);
        if (chat) takeSettings(tx, fork, chat);
        inheritConstraints(tx, constraints);
      },
    });
  };
}

/** What may pass is thrown, so that it is asked for again. */
function refuse({ code, message }: Refusal): ReturnType<typeof err<string>> {
  switch (code) {
    case "unavailable":
    case "busy":
      throw new Error(message);
    case "not_found":
      return err("the conversation that it came from is gone, or not yours to read any more");
    default:
      return err(`the conversation that it came from may not be read (${message})`);
  }
}
