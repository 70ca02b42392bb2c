import type { RoomView } from "../../../src/protocol/room.ts";
import type { View } from "../../../src/protocol/view.ts";

/** Who looks at the page, as far as it knows. The server decides; this only keeps away what would be refused. */
export interface Viewer {
  readonly id: string | undefined;
  readonly tier: string | undefined;
  /** Ids of those who became one with them. */
  readonly formerly?: readonly string[] | undefined;
}

/** Whether what an id said is the viewer's own. */
export function isOwn(viewer: Viewer | undefined, actor: string): boolean {
  return actor === viewer?.id || viewer?.formerly?.includes(actor) === true;
}

/** Who is in a conversation; undefined when it is private. */
export function roomOf(view: View | undefined): RoomView | undefined {
  return view?.plugins.room as unknown as RoomView | undefined;
}

/** Whether a person may change what others share: in a private conversation it is theirs. */
export function mayRule(view: View | undefined, viewer: Viewer | undefined): boolean {
  return roomOf(view) === undefined || viewer?.tier === "owner";
}

/** Whether a person may stop or take back what somebody said. */
export function mayTakeBack(view: View | undefined, viewer: Viewer | undefined, actor: string): boolean {
  return mayRule(view, viewer) || isOwn(viewer, actor);
}

/** How many are in, in words. */
export function describeMembers({ members }: RoomView): string {
  return members.length === 1 ? "1 member" : `${members.length} members`;
}
