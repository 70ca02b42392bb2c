import { join } from "node:path";
import { parseArgs } from "node:util";
import { AppServer } from "../test/kit/app-server/app-server.ts";
import type { WriteCounts } from "../test/kit/counted-state.ts";
import { bareTalker, chatTalker, onlookers, type Talker, type TurnTimes } from "./clients.ts";
import { measureHeap, measureLong } from "./long.ts";
import { pageSize, workerSize } from "./sizes.ts";
import { median, percentile, short } from "./statistics.ts";
import { ANSWER } from "./worker/bench-model.ts";

/**
 * `npm run bench [-- --quick]`: what a turn costs beyond the model, as ratios to a bare object of the same worker, measured
 * turn by turn in one run. The limits at the end of each row are the ones the project holds itself to.
 */
const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const root = join(import.meta.dirname, "..");
const HISTORIES = values.quick ? [10, 100] : [10, 100, 1_000];
const ROUNDS = 5;
const TURNS_PER_ROUND = 12;

const rows: string[][] = [];
const failures: string[] = [];

const deployment = { entry: join(root, "bench/worker/entry.ts"), objects: { BARE: "Bare" } };
const server = await AppServer.prepare(deployment);
const coldAt = performance.now();
await server.start();
const upMs = performance.now() - coldAt;
const startCpu = server.cpuSeconds();
try {
  const cookie = await server.signIn();
  await measureTurns(cookie);
  await measureThroughput(cookie);
  await measureFanOut(cookie);
  await measureLongHistories(cookie);
  await measureColdStart(cookie);
} finally {
  await server.remove();
}
await measureMemory();
await measureSizes();
printTable();
process.exit(failures.length > 0 ? 1 : 0);

/** Overhead per turn at growing histories, each round interleaved with the bare object. */
async function measureTurns(cookie: string): Promise<void> {
  const bare = await bareTalker(server, "yardstick");
  const chat = await chatTalker(server, cookie);
  let history = 0;
  let atTen = { first: Number.NaN, done: Number.NaN };
  for (const target of HISTORIES) {
    for (; history < target; history++) await chat.turn();
    const before = await counts(chat.id);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await interleaved(chat, bare));
    history += ROUNDS * TURNS_PER_ROUND;
    const after = await counts(chat.id);
    const ours = rounds.flatMap((round) => round.ours);
    const ratio = median(rounds.map((round) => median(first(round.ours)) / median(first(round.theirs))));
    const turns = ROUNDS * TURNS_PER_ROUND;
    const writes = (after.rows - before.rows + after.alarms - before.alarms) / turns;
    if (target === 10) atTen = { first: median(first(ours)), done: median(done(ours)) };
    row(
      `first delta at ${target} turns, ms p50 / p95`,
      `${short(median(first(ours)))} / ${short(percentile(first(ours), 0.95))}`,
    );
    row(`  × bare object`, short(ratio), target === 10 ? "≤ 3" : "", target !== 10 || ratio <= 3);
    if (target === 1_000) {
      const growth = median(first(ours)) / atTen.first;
      row("  × at 10 turns, older ones summarised", short(growth), "≤ 1.3", growth <= 1.3);
    }
    row(
      `done at ${target} turns, ms p50 / p95`,
      `${short(median(done(ours)))} / ${short(percentile(done(ours), 0.95))}`,
    );
    if (target === 1_000) {
      const growth = median(done(ours)) / atTen.done;
      row("  × at 10 turns, older ones summarised", short(growth), "≤ 1.3", growth <= 1.3);
    }
    row("  billed writes per turn, the list's mirror (3) included", short(writes), "≤ 12", writes <= 12);
    const bytes = median(ours.map((turn) => turn.bytes));
    const beyond = bytes - 2 * ANSWER.length;
    row("  bytes to the client beyond twice the answer's text", short(beyond), "≤ 4096", beyond <= 4_096);
  }
  chat.close();
  bare.close();
}

async function interleaved(chat: Talker, bare: Talker): Promise<{ ours: TurnTimes[]; theirs: TurnTimes[] }> {
  const ours: TurnTimes[] = [];
  const theirs: TurnTimes[] = [];
  for (let turn = 0; turn < TURNS_PER_ROUND; turn++) {
    ours.push(await chat.turn());
    theirs.push(await bare.turn());
  }
  return { ours, theirs };
}

async function measureThroughput(cookie: string): Promise<void> {
  const talkers = await Promise.all(Array.from({ length: 50 }, () => chatTalker(server, cookie)));
  const bares = await Promise.all(Array.from({ length: 50 }, (_, i) => bareTalker(server, `many-${i}`)));
  await Promise.all(talkers.map((talker) => talker.turn()));
  const ours = await turnsPerSecond(talkers, 8);
  const theirs = await turnsPerSecond(bares, 8);
  row("turns a second over 50 conversations", short(ours), "≥ 150", ours >= 150);
  row("  bare object", short(theirs));
  for (const talker of [...talkers, ...bares]) talker.close();
}

async function turnsPerSecond(talkers: readonly Talker[], each: number): Promise<number> {
  const start = performance.now();
  await Promise.all(
    talkers.map(async (talker) => {
      for (let turn = 0; turn < each; turn++) await talker.turn();
    }),
  );
  return (talkers.length * each) / ((performance.now() - start) / 1_000);
}

async function measureFanOut(cookie: string): Promise<void> {
  for (const count of values.quick ? [100] : [100, 1_000]) {
    const chat = await chatTalker(server, cookie);
    await chat.turn();
    const alone = median(done(await several(chat, 5)));
    const sockets = await onlookers(server, chat.id, count);
    const watched = median(done(await several(chat, 5)));
    row(`done with ${count} onlookers, ms`, `${short(watched)} (alone ${short(alone)})`);
    for (const socket of sockets) socket.terminate();
    chat.close();
  }
}

async function several(talker: Talker, turns: number): Promise<TurnTimes[]> {
  const times: TurnTimes[] = [];
  for (let turn = 0; turn < turns; turn++) times.push(await talker.turn());
  return times;
}

/** What was summarised away costs nothing, however much it is. */
async function measureLongHistories(cookie: string): Promise<void> {
  const long = values.quick ? 10_000 : 100_000;
  const { opening, turn, rows: read } = await measureLong(server, cookie, { short: 1_000, long, active: 50 });
  const isSame = read[0] === read[1];
  row(`rows read by opening and a turn at 1000 / ${long} entries, 50 active`, read.join(" / "), "the same", isSame);
  row("  time to the first words, ratio", short(opening), "≤ 2", opening <= 2);
  row("  of a further turn, ratio", short(turn), "≤ 1.3", turn <= 1.3);
}

/** In a process of its own: one that can be inspected is slower. */
async function measureMemory(): Promise<void> {
  const inspected = await AppServer.prepare({ ...deployment, inspected: true });
  await inspected.start();
  try {
    const bytes = await measureHeap(inspected, await inspected.signIn(), 50, 1_000);
    const mib = bytes / 1024 / 1024;
    row("heap of 50 open conversations of 1,000 entries, MiB above idle", short(mib), "≤ 64", mib <= 64);
  } finally {
    await inspected.remove();
  }
}

/** From a process that is not there to the first answer. */
async function measureColdStart(cookie: string): Promise<void> {
  await server.kill();
  const start = performance.now();
  await server.start();
  const up = performance.now() - start;
  const chat = await chatTalker(server, cookie);
  const answer = await chat.turn();
  row(
    "from no process to the first answer, ms",
    `${short(performance.now() - start)} (up ${short(up)}, turn ${short(answer.done)})`,
  );
  row("first start, ms / processor seconds of workerd until ready", `${short(upMs)} / ${short(startCpu)}`);
  chat.close();
}

async function measureSizes(): Promise<void> {
  const { total, start } = await workerSize(root);
  const kib = (bytes: number) => `${short(bytes / 1024)} KiB`;
  row(
    "Worker, all modules, raw / gzip",
    `${kib(total.raw)} / ${kib(total.gzip)}`,
    "≤ 400 KiB gzip",
    total.gzip <= 400 * 1024,
  );
  row("  of it evaluated at the start", `${kib(start.raw)} / ${kib(start.gzip)}`);
  const page = pageSize(root);
  row(
    "page, script and style, raw / gzip",
    `${kib(page.raw)} / ${kib(page.gzip)}`,
    "≤ 100 KiB gzip",
    page.gzip <= 100 * 1024,
  );
}

async function counts(id: string): Promise<WriteCounts> {
  const response = await fetch(`${server.url}/bench/counts?name=web:${id}`);
  return response.json<WriteCounts>();
}

function first(times: readonly TurnTimes[]): number[] {
  return times.map((turn) => turn.firstDelta);
}

function done(times: readonly TurnTimes[]): number[] {
  return times.map((turn) => turn.done);
}

function row(what: string, value: string, limit = "", holds = true): void {
  rows.push([what, value, limit === "" ? "" : `${holds ? "ok" : "MISSED"} (${limit})`]);
  if (!holds) failures.push(what);
}

function printTable(): void {
  const widths = [0, 1].map((column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  for (const [what = "", value = "", limit = ""] of rows) {
    console.log(`${what.padEnd(widths[0] ?? 0)}  ${value.padStart(widths[1] ?? 0)}  ${limit}`.trimEnd());
  }
}
