/** Declines of one tool in one turn after which it is not asked for again in that turn. */
const MAX_DECLINES_PER_TURN = 2;

/** How often each tool was declined in one turn. Plain JSON; only the newest turn is kept. */
export type Declines = {
  /** The turn's generation task. */
  readonly turn: number;
  readonly byTool: { readonly [tool: string]: number };
};

export const NO_DECLINES: Declines = { turn: 0, byTool: {} };

/** Counts a decline. A decline in another turn begins a new count. */
export function countDecline(declines: Declines, turn: number, tool: string): Declines {
  const byTool = declines.turn === turn ? declines.byTool : {};
  return { turn, byTool: { ...byTool, [tool]: timesDeclined(declines, turn, tool) + 1 } };
}

/** True when further calls of the tool in this turn are refused without a card. */
export function isDeclinedOut(declines: Declines, turn: number, tool: string): boolean {
  return timesDeclined(declines, turn, tool) >= MAX_DECLINES_PER_TURN;
}

function timesDeclined({ turn: counted, byTool }: Declines, turn: number, tool: string): number {
  return counted === turn && Object.hasOwn(byTool, tool) ? (byTool[tool] ?? 0) : 0;
}
