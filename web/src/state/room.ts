import type { RoomView } from "../../../src/protocol/room.ts";
import type { View } from "../../../src/protocol/view.ts";

/** Who looks at the page, as far as it knows. The server decides; this only keeps away what would be refused. */
export interface Viewer {
  readonly id: string | undefined;
  readonly tier: string | undefined;
}

/** Who is in a conversation; undefined when it is private. */
export function roomOf(view: View | undefined): RoomView | undefined {
  return view?.plugins.room as unknown as RoomView | undefined;
}

/** Whether a person may change what others share: in a private conversation it is theirs. */
export function mayRule(view: View | undefined, { tier }: Viewer): boolean {
  return roomOf(view) === undefined || tier === "owner";
}

/** Whether a person may stop or take back what somebody said. */
export function mayTakeBack(view: View | undefined, viewer: Viewer, actor: string): boolean {
  return mayRule(view, viewer) || actor === viewer.id;
}

/** How many are in, in words. */
export function describeMembers({ members }: RoomView): string {
  return members.length === 1 ? "1 member" : `${members.length} members`;
}
