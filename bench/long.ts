import type { AppServer } from "../test/kit/app-server/app-server.ts";
import type { WriteCounts } from "../test/kit/counted-state.ts";
import { type ConversationTalker, chatTalker, type Talker } from "./clients.ts";
import { heapUsage } from "./heap.ts";
import { median } from "./statistics.ts";

/** How much more a long history costs than a short one, as ratios. `opening`: from nothing in memory to the first words. */
export interface LongRatios {
  readonly opening: number;
  readonly turn: number;
  /** Rows read by an opening and its first turn, in the short one and in the long. */
  readonly rows: readonly [short: number, long: number];
}

/** Compares conversations of so many entries, of which the active transcript holds the last, turn by turn. */
export async function measureLong(
  server: AppServer,
  cookie: string,
  { short, long, active }: { readonly short: number; readonly long: number; readonly active: number },
): Promise<LongRatios> {
  const openings: number[] = [];
  const turns: number[] = [];
  let rows: LongRatios["rows"] = [0, 0];
  for (let round = 0; round < 5; round++) {
    const few = await planted(server, cookie, short, active);
    const many = await planted(server, cookie, long, active);
    const began = await bothTurns(few, many);
    openings.push(began.many / began.few);
    rows = [await rowsRead(server, few), await rowsRead(server, many)];
    const ratios = [];
    for (let turn = 0; turn < 12; turn++) ratios.push(await bothTurns(few, many));
    turns.push(median(ratios.map((pair) => pair.many)) / median(ratios.map((pair) => pair.few)));
    few.close();
    many.close();
  }
  return { opening: median(openings), turn: median(turns), rows };
}

async function rowsRead(server: AppServer, { id }: ConversationTalker): Promise<number> {
  const response = await fetch(`${server.url}/bench/counts?name=web:${id}`);
  return (await response.json<WriteCounts>()).read;
}

async function bothTurns(few: Talker, many: Talker): Promise<{ readonly few: number; readonly many: number }> {
  const [one, other] = [await few.turn(), await many.turn()];
  return { few: one.firstDelta, many: other.firstDelta };
}

/** Bytes of heap that open conversations of so many entries take beyond an idle worker, one turn taken in each. */
export async function measureHeap(server: AppServer, cookie: string, count: number, entries: number): Promise<number> {
  const idle = await heapUsage(server.inspector);
  const talkers: Talker[] = [];
  for (let i = 0; i < count; i++) talkers.push(await planted(server, cookie, entries));
  // All at once and just before the look: what rests for some seconds leaves memory by itself.
  await Promise.all(talkers.map((talker) => talker.turn()));
  const open = await heapUsage(server.inspector);
  for (const chat of talkers) chat.close();
  return open - idle;
}

async function planted(
  server: AppServer,
  cookie: string,
  entries: number,
  active?: number,
): Promise<ConversationTalker> {
  const chat = await chatTalker(server, cookie);
  await chat.turn();
  const query = new URLSearchParams({ name: `web:${chat.id}`, entries: String(entries) });
  if (active !== undefined) query.set("active", String(active));
  const answer = await fetch(`${server.url}/bench/plant?${query.toString()}`);
  if (!answer.ok) throw new Error(`planting failed: ${await answer.text()}`);
  await chat.reconnect();
  return chat;
}
