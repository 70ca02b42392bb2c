import { defineNamespace, type Namespace } from "../../kernel/index.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import type { ConversationFacts } from "../../people/facts.ts";
import type { ByIds } from "../../people/other-ids.ts";
import type { RoomView } from "../../protocol/room.ts";
import type { Refusal } from "../answer.ts";

/** Members of one shared conversation. */
export const MAX_ROOM_MEMBERS = 50;

/** Who took a member in, and when. `formerly`: other ids that stand for this member. */
export type RoomMember = {
  readonly addedBy: string;
  readonly addedAt: number;
  readonly formerly?: readonly string[];
};

/** How somebody comes into a shared conversation. @param addedAt ms */
export function comingIn({ otherIds }: ByIds, addedBy: string, addedAt: number): RoomMember {
  return { addedBy, addedAt, ...(otherIds && { formerly: otherIds.map(({ id }) => id) }) };
}

/** Who is in a shared conversation, by principal. */
export type RoomState = { readonly members: { readonly [principalId: string]: RoomMember } };

/** Declares the namespace `room` of a shared conversation. Whoever opened it is in it without a commit of its own. */
export function roomNamespace({ owner, openedAt = 0 }: ConversationFacts): Namespace<RoomState> {
  return defineNamespace<RoomState>({
    name: "room",
    sticky: { members: { [owner]: { addedBy: owner, addedAt: openedAt } } },
    view: ({ members }) => {
      const view: RoomView = { members: Object.keys(members) };
      return { ...view };
    },
  });
}

/** With one more member, or the sentence that refuses it. Whoever is in it already stays as they came. */
export function withMember(state: RoomState, principalId: string, how: RoomMember): Result<RoomState, Refusal> {
  if (Object.hasOwn(state.members, principalId)) return ok(state);
  const count = Object.keys(state.members).length;
  if (count < MAX_ROOM_MEMBERS) return ok({ members: { ...state.members, [principalId]: how } });
  const message = `This conversation has ${count} members, the limit is ${MAX_ROOM_MEMBERS}: take somebody out first.`;
  return err({ code: "too_large", message });
}

export function withoutMembers({ members }: RoomState, ids: readonly string[]): RoomState {
  return { members: Object.fromEntries(Object.entries(members).filter(([id]) => !ids.includes(id))) };
}

/** Whether an id stands for a member. */
export function isIn({ members }: RoomState, id: string): boolean {
  return Object.hasOwn(members, id) || Object.values(members).some(({ formerly }) => formerly?.includes(id));
}

/** As it is once two are one: one line of them at most, of whoever came first. The same again changes nothing. */
export function withMerged(state: RoomState, former: string, survivor: string): RoomState {
  const { [former]: gone, ...others } = state.members;
  if (!gone) return state;
  const known = others[survivor] ?? gone;
  const formerly = [...new Set([...(known.formerly ?? []), ...(gone.formerly ?? []), former])];
  return { members: { ...others, [survivor]: { ...known, formerly } } };
}
