import { requestMirror } from "../../host/index.ts";
import type { Namespace } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { Directory } from "../../people/directory.ts";
import type { Caller } from "../../people/facts.ts";
import type { Action, Refused } from "../../people/may-act.ts";
import { idsOf } from "../../people/other-ids.ts";
import type { Entrance } from "../conversation/entrance.ts";
import type { Life } from "../conversation/life.ts";
import type { Answer, ConversationRpc, MembersAnswer, Refusal } from "../rpc.ts";
import type { RoomMergeRpc } from "./room-rpc.ts";
import { comingIn, type RoomState, withMember, withMerged, withoutMembers } from "./room-state.ts";

/** The calls about who is in a shared conversation. */
export type RoomRpc = Pick<ConversationRpc, "members" | "addMember" | "removeMember">;

/** What the desk needs from the object around it. */
interface RoomHost {
  readonly entrance: Entrance;
  readonly directory: Pick<Directory, "mayBeIn" | "read">;
  /** Who somebody is by now; undefined: nobody else. @throws when the directory cannot be read. */
  survivorOf(former: string): Promise<string | undefined>;
  /** Makes a change after which this person may not be allowed to hear any more. */
  reconsider(principalId: string, change: () => void): void;
}

const PRIVATE: Refusal = {
  code: "bad_request",
  message: "This conversation is private for ever and has no members: open a shared one.",
};

/** Who is in a shared conversation, and how that changes. The object's own rows decide; D1 is told afterwards. */
export class RoomDesk implements RoomRpc, RoomMergeRpc {
  readonly #host: RoomHost;

  constructor(host: RoomHost) {
    this.#host = host;
  }

  async members(caller: Caller): Answer<MembersAnswer> {
    const entered = await this.#enter(caller, "read");
    if (!entered.ok) return entered;
    const { kernel, room } = entered.value;
    const members = Object.entries(kernel.get(room).members);
    return ok({
      members: members.map(([principalId, { addedBy, addedAt }]) => ({ principalId, addedBy, addedAt })),
    });
  }

  async addMember(caller: Caller, person: string): Answer<Record<string, never>> {
    const found = await this.#host.directory.mayBeIn(person);
    const entered = await this.#enter(caller, "members");
    if (!entered.ok) return entered;
    if (!found.ok) return err(whyNot(found.error));
    const { kernel, room } = entered.value;
    return kernel.commit((tx): Result<Record<string, never>, Refusal> => {
      const added = withMember(tx.get(room), person, comingIn(found.value, caller.principalId, tx.now));
      if (!added.ok) return added;
      tx.set(room, added.value);
      requestMirror(tx);
      return ok({});
    });
  }

  async removeMember(caller: Caller, person: string): Answer<Record<string, never>> {
    const isSelf = person === caller.principalId;
    const self = isSelf ? await this.#host.directory.read(caller) : undefined;
    const entered = await this.#enter(caller, isSelf ? "leave" : "members");
    if (!entered.ok) return entered;
    const { kernel, room } = entered.value;
    const ids = self?.ok && self.value ? idsOf(self.value) : [person];
    this.#host.reconsider(person, () =>
      kernel.commit((tx) => {
        tx.set(room, withoutMembers(tx.get(room), ids));
        requestMirror(tx);
      }),
    );
    return ok({});
  }

  async mergeMember(former: string): Answer<Record<string, never>> {
    const survivor = await this.#host.survivorOf(former);
    if (survivor === undefined) return err({ code: "forbidden", message: "This person is nobody else." });
    const { kernel, room } = this.#host.entrance.life() ?? {};
    if (!kernel || !room || !Object.hasOwn(kernel.get(room).members, former)) return ok({});
    this.#host.reconsider(former, () =>
      kernel.commit((tx) => {
        tx.set(room, withMerged(tx.get(room), former, survivor));
        requestMirror(tx);
      }),
    );
    return ok({});
  }

  async #enter(caller: Caller, action: Action): Answer<Life & { readonly room: Namespace<RoomState> }> {
    const entered = await this.#host.entrance.enter(caller, action);
    if (!entered.ok) return entered;
    const { room } = entered.value;
    return room ? ok({ ...entered.value, room }) : err(PRIVATE);
  }
}

/** Why somebody cannot be taken in, in words for whoever takes them in. */
function whyNot({ code, message }: Refused): Refusal {
  switch (code) {
    case "unauthenticated":
      return { code: "not_found", message: "There is no such person." };
    case "forbidden":
      return {
        code: "bad_request",
        message:
          "This person is switched off or below the tier member, and may be in no conversation: change that first.",
      };
    default:
      return { code, message };
  }
}
