/** A person who says something where several do. */
export type Voice = {
  /** What they were called. Decoration: names are chosen, and no right hangs on one. */
  readonly name: string;
  /** The line that models read before the words. */
  readonly label: string;
};

/** Projection of the namespace `room`, which only a shared conversation has. */
export interface RoomView {
  /** Principals, the first one first. What they are called says `GET …/members`. */
  readonly members: readonly string[];
}
