import type { KnownPerson } from "../../src/holds/index.ts";
import { POLICY } from "../../src/holds/index.ts";
import type { HoldRecord } from "../../src/holds/record/record.ts";
import type { Tier } from "../../src/people/facts.ts";
import { tableSays } from "../holds/audience-table.ts";
import type { HoldWorld, RunningCall } from "./hold-world.ts";

/** How a call of the test's tool is held, by the word in its argument. */
export interface HeldAs {
  readonly minTier?: Tier;
  readonly approvers?: readonly string[];
  readonly approval?: "speaker";
}

/** Arguments of the test's tool: `n` is another for each message and each edit. */
export type SendInput = { readonly as: string; readonly n: number };

/** Somebody tried to approve something, as the facts about them were then. */
interface Attempt {
  readonly seq: number;
  readonly hold: string;
  readonly digest: string;
  readonly by: KnownPerson;
  /** What they wanted to run; undefined: what the card shows. */
  readonly input: SendInput | undefined;
  readonly always: boolean;
}

type Noted = { readonly seq: number };

/**
 * Judges each execution by what a test saw from outside: who tried to approve what, what the directory and the deny rule
 * answered when, which version each card was made for. Knows the design's table and none of the code that decides.
 */
export class PressOracle {
  readonly violations: string[] = [];
  /** What ran, and how it came to run. */
  readonly runs: ("pressed" | "edited" | "by rule" | "unheld")[] = [];
  readonly #holds: HoldWorld;
  readonly #kinds: Readonly<Record<string, HeldAs | undefined>>;
  readonly #attempts: Attempt[] = [];
  readonly #answers: (Noted & { readonly id: string; readonly person: KnownPerson | undefined })[] = [];
  readonly #looks: (Noted & { readonly n: number; readonly denied: boolean })[] = [];
  readonly #versions = new Map<string, string>();
  readonly #spent = new Map<string, number>();
  /** As they were seen last: the conversation forgets old ones. */
  readonly #records = new Map<string, HoldRecord>();
  #seq = 0;

  constructor(holds: HoldWorld, kinds: Readonly<Record<string, HeldAs | undefined>>) {
    this.#holds = holds;
    this.#kinds = kinds;
    holds.answered = (id, person) => void this.#answers.push({ seq: ++this.#seq, id, person });
    holds.beforeEffect = (call) => this.#watch(call);
  }

  /** A rule is asked about a call: one look of gate or press. */
  look({ n }: SendInput, denied: boolean): void {
    this.#looks.push({ seq: ++this.#seq, n, denied });
  }

  attempt(attempt: Omit<Attempt, "seq">): void {
    this.#attempts.push({ ...attempt, seq: ++this.#seq });
  }

  /** Notes what cards there are, and for which version of the tool new ones were made. */
  noteCards(): void {
    for (const [id, record] of Object.entries(this.#holds.stored.records ?? {})) {
      this.#records.set(id, record);
      if (!this.#versions.has(id)) this.#versions.set(id, this.#holds.runningVersion);
    }
  }

  /** A judge that fails must not pass for a tool that does. */
  async #watch(call: RunningCall): Promise<void> {
    try {
      this.#judge(call);
    } catch (error) {
      this.violations.push(`the oracle failed: ${String(error)}`);
    }
    await Promise.resolve();
  }

  #judge({ input, key }: RunningCall): void {
    this.noteCards();
    const { as, n } = input as SendInput;
    const say = (what: string) => this.violations.push(`${as} ${n} (${key}) ran: ${what}`);
    const task = Number(key.split("/").at(-1));
    const record = [...this.#records.values()].find((one) => one.task === task && one.status === "approved");
    if (record?.status !== "approved") {
      this.runs.push("unheld");
      if (this.#kinds[as]) say("it was held, and nobody approved it");
      return;
    }
    if (record.spentAt === null) say("its approval was not spent");
    this.#spent.set(record.id, (this.#spent.get(record.id) ?? 0) + 1);
    if ((this.#spent.get(record.id) ?? 0) > 1) say("its approval was used twice");
    if (this.#looks.filter((look) => look.n === n).at(-1)?.denied) say("a deny rule forbade it at the last look");
    const { rule } = record.decision;
    this.runs.push(rule === undefined ? (record.edit ? "edited" : "pressed") : "by rule");
    if (rule === undefined) this.#judgePressed(record, input as SendInput, say);
    else this.#judgeRuled(record, rule, input as SendInput, say);
  }

  #judgePressed(record: HoldRecord, input: SendInput, say: (what: string) => void): void {
    const from = record.edit ? this.#editedFrom(record.id) : record;
    const wanted = record.edit ? input.n : undefined;
    // An edit that was not its editor's to approve is a card like any other, to be approved as it is.
    const attempts = this.#attempts.filter(
      (one) =>
        (one.hold === record.id && one.digest === record.digest && one.input === undefined) ||
        (one.hold === from?.id && one.digest === from.digest && one.input?.n === wanted && wanted !== undefined),
    );
    if (!attempts.some((one) => this.#mayApprove(record, input, one) && this.#stillMay(record, input, one))) {
      say(`no eligible person approved it, then and at the start; ${attempts.length} tried`);
    }
    const shown = this.#versions.get(record.id);
    if (shown !== undefined && shown !== this.#holds.runningVersion) say(`another version than ${shown} of the tool`);
  }

  #judgeRuled(record: HoldRecord, rule: string, input: SendInput, say: (what: string) => void): void {
    const standing = this.#holds.kernel.get(POLICY).allow.find(({ id }) => id === rule);
    if (!standing) {
      say("the rule that allowed it does not stand");
      return;
    }
    if (standing.expiresAt <= this.#holds.world.clock.now()) say("the rule that allowed it had ended");
    const saved = this.#attempts.filter((one) => one.hold === rule && one.always);
    if (!saved.some((one) => this.#mayApprove(record, input, one))) say("nobody eligible saved the rule");
    const since = { seq: saved.at(0)?.seq ?? this.#seq, by: { principalId: standing.by.principalId } };
    if (!this.#stillMay(record, input, since)) say("the author of the rule could not approve it");
  }

  /** By the facts about the presser that came with the press, and any answer about the speaker since. */
  #mayApprove(record: HoldRecord, input: SendInput, { seq, by }: Attempt): boolean {
    const speaker = record.speaker?.principalId ?? "";
    if (by.principalId === speaker) return this.#allows(record, input, by, by);
    return this.#answers.some(
      (one) => one.seq > seq && one.id === speaker && this.#allows(record, input, one.person, by),
    );
  }

  /** A look since then after which the directory said of both what lets it run. */
  #stillMay(
    record: HoldRecord,
    input: SendInput,
    since: Noted & { readonly by: { readonly principalId: string } },
  ): boolean {
    const speaker = record.speaker?.principalId ?? "";
    return this.#looks.some((look) => {
      if (look.n !== input.n || look.seq < since.seq) return false;
      const next = (id: string) => this.#answers.find((one) => one.seq > look.seq && one.id === id)?.person;
      const approver = next(since.by.principalId);
      return approver !== undefined && this.#allows(record, input, next(speaker), approver);
    });
  }

  #allows(record: HoldRecord, { as }: SendInput, speaker: KnownPerson | undefined, presser: KnownPerson): boolean {
    // What no rule holds as edited is for those who could approve it before.
    const before = this.#kinds[as] ?? this.#kinds[this.#inputAs(this.#editedFrom(record.id))] ?? {};
    const { minTier = "member", approvers, approval = null } = before;
    const { visibility } = this.#holds;
    // Whether they may enter is in what the directory answered about them.
    const reachable = (principalId: string) => ({ principalId, reachable: true });
    const question = {
      visibility,
      minTier: highest(minTier, this.#holds.toolTier),
      approval,
      approvers: approvers?.map(reachable) ?? null,
      speaker: speaker ? { principalId: speaker.principalId, tier: speaker.tier, reachable: true } : null,
    };
    return tableSays(question, presser) === "allowed";
  }

  #editedFrom(id: string): HoldRecord | undefined {
    return [...this.#records.values()].find((one) => one.status === "cancelled" && one.successor === id);
  }

  #inputAs(record: HoldRecord | undefined): string {
    return /^send as (\w+)/.exec(record?.text ?? "")?.[1] ?? "";
  }
}

const ORDER: readonly Tier[] = ["guest", "member", "admin", "owner"];

function highest(a: Tier, b: Tier): Tier {
  return ORDER.indexOf(a) > ORDER.indexOf(b) ? a : b;
}
