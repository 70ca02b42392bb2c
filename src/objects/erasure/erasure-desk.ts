import { POLICY } from "../../holds/index.ts";
import { requestMirror } from "../../host/index.ts";
import type { Walk } from "../../kernel/index.ts";
import { err, ok } from "../../lib/result.ts";
import { UNAVAILABLE } from "../../people/directory.ts";
import type { FileRef } from "../../protocol/message.ts";
import type { Database } from "../../store/database.ts";
import { erasedIds } from "../../store/erasures.ts";
import { isStoreFailure } from "../../store/failure.ts";
import { FILES, withoutFile } from "../../surfaces/webchat/files-state.ts";
import { titleOf } from "../../surfaces/webchat/title.ts";
import type { Answer } from "../answer.ts";
import type { Life } from "../conversation/life.ts";
import { deleteFiles } from "../files/stored-files.ts";
import { withoutMembers } from "../room/room-state.ts";
import type { ForgetOrder, ForgetRpc, Forgotten } from "./erasure-rpc.ts";

/** Stretches of the transcript that one call looks through. */
const STRETCHES = 20;

/** What the desk needs from the object around it. */
interface ForgettingHost {
  life(): Life | undefined;
  readonly db: Database;
  /** Where the bytes of files are. */
  readonly bucket: Pick<R2Bucket, "delete">;
  /** Forgets everything, files too. */
  destroy(by: string): Promise<void>;
  /** Makes a change after which this person may not be allowed to hear any more. */
  reconsider(principalId: string, change: () => void): void;
}

/**
 * A conversation forgets somebody who was erased: their private one goes, in a shared one tombstones stand where their
 * turns were. Files go first, because afterwards nobody knows of them; all of it may be done again.
 */
export class ErasureDesk implements ForgetRpc {
  readonly #host: ForgettingHost;

  constructor(host: ForgettingHost) {
    this.#host = host;
  }

  async forget(order: ForgetOrder, from: Walk | null): Answer<Forgotten> {
    try {
      const ids = await erasedIds(this.#host.db, order.person);
      if (ids.length > 0) return ok(await this.#forget(order, ids, from));
      return err({ code: "forbidden", message: "This person was not erased, so nothing of theirs is forgotten." });
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return err(UNAVAILABLE);
    }
  }

  async #forget(order: ForgetOrder, ids: readonly string[], from: Walk | null): Promise<Forgotten> {
    const life = this.#host.life();
    if (!life) return { state: "gone" };
    if (life.facts.visibility === "private" && ids.includes(life.facts.owner)) {
      await this.#host.destroy(order.by);
      return { state: "gone" };
    }
    if (!from) this.#leave(life, order, ids);
    const isQuiet = life.kernel.history.letRest(ids);
    life.kernel.resume();
    return isQuiet ? await this.#redact(life, ids, order.by, from) : { state: "busy" };
  }

  async #redact(life: Life, actors: readonly string[], by: string, from: Walk | null): Promise<Forgotten> {
    const { history } = life.kernel;
    let walk = from ?? undefined;
    let entries = 0;
    let files = 0;
    for (let stretch = 0; stretch < STRETCHES; stretch++) {
      const found = history.said(actors, walk);
      await this.#forgetFiles(life, found.files);
      if (found.ids.includes(life.kernel.control.firstEntry)) forgetTitle(life);
      history.redact(found.ids, by);
      entries += found.theirs;
      files += found.files.length;
      walk = found.next;
      if (walk) continue;
      while (history.redactInputs(actors) > 0);
      return { state: "clean", entries, files, left: countLeft(life, actors) };
    }
    return walk ? { state: "more", walk, entries, files } : { state: "busy" };
  }

  async #forgetFiles({ kernel, facts }: Life, files: readonly FileRef[]): Promise<void> {
    if (files.length === 0) return;
    await deleteFiles(this.#host.bucket, facts.key, files);
    kernel.commit((tx) =>
      tx.set(
        FILES,
        files.reduce((state, { id }) => withoutFile(state, id), tx.get(FILES)),
      ),
    );
  }

  /** Out of the room; what they allowed counts no more, and what they forbade stays, without their name and words. */
  #leave({ kernel, room, holds }: Life, { person, by, tier }: ForgetOrder, ids: readonly string[]): void {
    const isTheirs = ({ principalId }: { readonly principalId: string }) => ids.includes(principalId);
    this.#host.reconsider(person, () =>
      kernel.commit((tx) => {
        if (room && Object.keys(tx.get(room).members).some((id) => ids.includes(id))) {
          tx.set(room, withoutMembers(tx.get(room), ids));
          requestMirror(tx);
        }
        const { allow, constraints } = tx.get(POLICY);
        const gone = allow.filter((rule) => isTheirs(rule.by) || isTheirs(rule.speaker));
        if (gone.length > 0) tx.set(POLICY, { allow: allow.filter((rule) => !gone.includes(rule)) });
        for (const { id } of gone)
          holds.audit.tellPolicy(tx, "rule_revoked", { rule: id, by: { principalId: by, tier } });
        if (!constraints.some(({ by: author }) => isTheirs(author) && author.name !== "")) return;
        tx.set(POLICY, {
          constraints: constraints.map((one) =>
            isTheirs(one.by) ? { ...one, text: NAMELESS, by: { principalId: one.by.principalId, name: "" } } : one,
          ),
        });
      }),
    );
  }
}

/** Stands where somebody had said why a constraint is there. */
const NAMELESS = "(Set by somebody who was erased.)";

/** A title that was made of their words goes with them; one that somebody chose stays. */
function forgetTitle({ kernel, chat }: Life): void {
  const message = kernel.history.entry(kernel.control.firstEntry)?.message;
  if (message?.role !== "user") return;
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  if (kernel.get(chat).title !== titleOf(text)) return;
  kernel.commit((tx) => {
    tx.set(chat, { title: "" });
    requestMirror(tx);
  });
}

/** Entries that still have words of theirs. */
function countLeft({ kernel }: Life, actors: readonly string[]): number {
  let left = 0;
  let found = kernel.history.said(actors);
  left += found.ids.length;
  while (found.next) {
    found = kernel.history.said(actors, found.next);
    left += found.ids.length;
  }
  return left;
}
