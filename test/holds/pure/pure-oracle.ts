import { verifyChain } from "../../../src/holds/audit/verify-chain.ts";
import { digestCall, hashSchema } from "../../../src/holds/bound/digest.ts";
import type { KnownPerson } from "../../../src/holds/index.ts";
import { type HoldRecord, isAnswerable } from "../../../src/holds/record/record.ts";
import type { Json } from "../../../src/lib/json.ts";
import type { Tier } from "../../../src/people/facts.ts";
import type { AuditLine } from "../../../src/protocol/audit.ts";
import { tableSays } from "../audience-table.ts";
import type { Start } from "./pure-kernel.ts";

/** How calls are held, by the word in their arguments. */
export interface PureKind {
  readonly minTier?: Tier;
  readonly approvers?: readonly string[];
  readonly approval?: "speaker";
  readonly supersede?: string;
  readonly files?: readonly string[];
}
export type PureInput = { readonly as: string; readonly n: number };

/** What stands when the rules are asked, of what an approval is bound to. */
export interface LookFacts {
  readonly version: string;
  readonly isStrict: boolean;
  readonly isDenied: boolean;
}

interface Attempt {
  readonly hold: string;
  readonly digest: string;
  readonly by: KnownPerson;
  /** What they wanted to run; undefined: what the card shows. */
  readonly input: PureInput | undefined;
}
type Noted<T> = T & { readonly seq: number };

type Records = Readonly<Record<string, HoldRecord>>;

/** Judges by what a test saw from outside: attempts, answers, looks. Knows the design's table and nothing of what decides. */
export class PureOracle {
  readonly violations: string[] = [];
  readonly starts = new Map<string, number>();
  readonly records = new Map<string, HoldRecord>();
  readonly #kinds: Readonly<Record<string, PureKind | undefined>>;
  readonly #visibility: "private" | "shared";
  readonly #attempts: Attempt[] = [];
  readonly #answers: Noted<{ readonly id: string; readonly person: KnownPerson | undefined }>[] = [];
  readonly #looks: Noted<LookFacts & { readonly n: number }>[] = [];
  readonly #files: Noted<{ readonly sha256: string }>[] = [];
  #seq = 0;

  constructor(kinds: Readonly<Record<string, PureKind | undefined>>, visibility: "private" | "shared") {
    this.#kinds = kinds;
    this.#visibility = visibility;
  }

  look(n: number, facts: LookFacts): void {
    this.#looks.push({ ...facts, n, seq: ++this.#seq });
  }
  answer(id: string, person: KnownPerson | undefined): void {
    this.#answers.push({ id, person, seq: ++this.#seq });
  }
  file(sha256: string): void {
    this.#files.push({ sha256, seq: ++this.#seq });
  }
  attempt(attempt: Attempt): void {
    this.#attempts.push(attempt);
  }

  /** One outcome a hold: what ended stays as it ended, but for an approval that was spent or became void before. */
  committed(before: Records, after: Records): void {
    for (const record of Object.values(after)) this.records.set(record.id, record);
    for (const was of Object.values(before)) {
      const is = after[was.id];
      if (!is || isAnswerable(was) || was.status === is.status) continue;
      const isVoid = was.status === "approved" && was.spentAt === null && is.status === "changed";
      if (!isVoid) this.#say(`${was.id} was ${was.status} and is ${is.status}`);
    }
  }

  started({ task, entry, index, input }: Start): void {
    const { as, n } = input as PureInput;
    const say = (what: string) => this.#say(`${as} ${n} started: ${what}`);
    const call = `${entry}.${index}`;
    this.starts.set(call, (this.starts.get(call) ?? 0) + 1);
    if ((this.starts.get(call) ?? 0) > 1) say("a second time");
    const look = this.#looks.findLast((one) => one.n === n);
    if (look?.isDenied) say("a deny rule forbade it");
    const record = [...this.records.values()].findLast((one) => one.task === task && one.status === "approved");
    if (record?.status !== "approved" || !look) {
      if (this.#kinds[as]) say("nobody approved it");
      return;
    }
    if (record.spentAt === null) say("its approval is not spent");
    if (!this.#digests(record, input, look).includes(record.digest)) say("it is not what was shown");
    const by = record.decision.by.principalId;
    if (!this.#wasTried(record, n, by)) say(`${by} never approved that`);
    const now = (id: string) => this.#answers.filter((one) => one.seq > look.seq && one.id === id);
    const may = now(by).some(({ person: approver }) =>
      [...now(record.speaker?.principalId ?? ""), { person: undefined }].some(
        ({ person: speaker }) => approver && this.#allows(record, look, speaker, approver),
      ),
    );
    if (!may) say(`${by} could not approve it at its last look`);
  }

  /** At the end: the chain is whole, and tells each hold's story in order. */
  audited(lines: readonly AuditLine[], conversation: string): void {
    const fault = verifyChain(conversation, lines);
    if (fault) this.#say(`audit: ${fault.detail}`);
    const stories = Map.groupBy(lines, ({ hold }) => hold);
    for (const [hold, story] of stories) {
      if (hold === null) continue;
      const words = story.map(({ event }) => event).filter((event) => event !== "refused");
      if (words.length > 0 && words[0] !== "opened") this.#say(`audit of ${hold} begins with ${words[0]}`);
      const ends = words.filter((word) => ENDS.has(word));
      const isOne = ends.length <= 1 || (ends.join() === "approved,changed" && !words.includes("spent"));
      if (!isOne) this.#say(`audit of ${hold}: ${ends.join(", ")}`);
      const spent = words.filter((word) => word === "spent").length;
      if (spent > 1 || (spent === 1 && words.indexOf("spent") < words.indexOf("approved"))) this.#say(`${hold}: spent`);
      const stored = this.records.get(hold);
      const end = stored && (isAnswerable(stored) ? undefined : stored.status);
      if (stored && ends.at(-1) !== end) this.#say(`audit of ${hold} ends with ${ends.at(-1)}, it is ${stored.status}`);
    }
  }

  /** What is shown as open is a hold that somebody can still answer, of a call that still waits. */
  shown(cards: readonly { readonly hold: string; readonly status: string }[], records: Records, tasks: object): void {
    for (const { hold, status } of cards) {
      const record = records[hold];
      if (status !== "open") continue;
      if (!record || !isAnswerable(record)) this.#say(`the card ${hold} is open and its hold is not`);
      else if (!Object.hasOwn(tasks, record.task)) this.#say(`the card ${hold} is open and its call is gone`);
    }
    const waiting = Object.values(records).filter(isAnswerable);
    for (const { id } of waiting) if (!cards.some(({ hold }) => hold === id)) this.#say(`${id} waits and is not shown`);
  }

  #say(what: string): void {
    this.violations.push(what);
  }

  #wasTried(record: HoldRecord, n: number, by: string): boolean {
    const from = [...this.records.values()].find((one) => one.status === "cancelled" && one.successor === record.id);
    return this.#attempts.some(
      (one) =>
        one.by.principalId === by &&
        ((one.hold === record.id && one.digest === record.digest && one.input === undefined) ||
          (from !== undefined && one.hold === from.id && one.digest === from.digest && one.input?.n === n)),
    );
  }

  /** What the call is bound to as it runs, with each file's bytes that were read since its last look. */
  #digests(record: HoldRecord, input: Json, look: Noted<LookFacts>): readonly string[] {
    const kind = this.#kinds[(input as PureInput).as] ?? {};
    const read = this.#files.filter(({ seq }) => seq > look.seq).map(({ sha256 }) => sha256);
    const bytes = kind.files ? [...new Set(read)] : [""];
    return bytes.map((sha256) =>
      digestCall({
        conversation: CONVERSATION,
        provider: { kind: "plugin", name: "test" },
        tool: "send",
        version: look.version,
        schemaHash: hashSchema(SCHEMA),
        input,
        speaker: record.speaker?.principalId ?? "",
        files: (kind.files ?? []).map((id) => ({ id, name: id, bytes: 1, sha256 })),
        audience: {
          minTier: look.isStrict ? "admin" : (kind.minTier ?? "member"),
          approvers: kind.approvers ?? null,
          approval: kind.approval ?? null,
          ruleId: "test.0",
          target: null,
        },
      }),
    );
  }

  #allows(record: HoldRecord, look: LookFacts, speaker: KnownPerson | undefined, presser: KnownPerson): boolean {
    const as = /^send as (\w+)/.exec(record.text)?.[1] ?? "";
    const { minTier = "member", approvers, approval = null } = this.#kinds[as] ?? {};
    const question = {
      visibility: this.#visibility,
      minTier: look.isStrict ? "admin" : minTier,
      approval,
      approvers: approvers?.map((principalId) => ({ principalId, reachable: true })) ?? null,
      speaker: speaker ? { principalId: speaker.principalId, tier: speaker.tier, reachable: true } : null,
    } as const;
    return tableSays(question, presser) === "allowed";
  }
}

const ENDS: ReadonlySet<string> = new Set([
  ...["approved", "declined", "expired", "cancelled", "changed", "unavailable"],
]);
export const CONVERSATION = "web:pure";
export const SCHEMA = { type: "object" } as const;
