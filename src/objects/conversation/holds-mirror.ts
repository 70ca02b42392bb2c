import { canonicalJson } from "../../lib/canonical.ts";
import { cutText } from "../../lib/cut.ts";
import { sha256Hex } from "../../lib/sha256.ts";
import type { QuestionCard } from "../../protocol/questions.ts";
import { copyLines, readCopied } from "../../store/approval-audit.ts";
import type { Database } from "../../store/database.ts";
import { mirrorCards, type OpenCardRow } from "../../store/open-cards.ts";
import type { Life } from "./life.ts";

/** Lines that one statement copies. */
const LINES_AT_ONCE = 100;

/** UTF-16 units of what the list says of a question. */
const MAX_WORDS_UNITS = 300;

/** The open cards and questions of a conversation at a revision. */
export interface StandingCards {
  readonly rev: number;
  readonly cards: readonly OpenCardRow[];
}

/** The open cards and questions as they stand at this instant. */
export function standingCards({ holds, questions, kernel, facts }: Life): StandingCards {
  const where = { conversation: facts.key, reader: facts.visibility === "private" ? facts.owner : "" };
  const approvals = holds.open().map((card) => ({ ...card, ...where, kind: "approval" as const }));
  const asked = questions().filter(({ status }) => status === "open");
  const cards = [...approvals, ...asked.map((card) => ({ ...showAsked(card), ...where }))];
  return { rev: kernel.control.rev, cards };
}

/** Nothing is to be approved: who may answer follows from the asked one alone. */
function showAsked({ prompt, questions, speaker, askedAt, deadline }: QuestionCard) {
  const words = questions.map(({ text }) => text.replaceAll("\n", " ")).join(" \u00b7 ");
  const action = words.length > MAX_WORDS_UNITS ? `${cutText(words, MAX_WORDS_UNITS - 1)}\u2026` : words;
  const unbound = {
    digest: "",
    tool: "",
    minTier: "guest",
    approvers: null,
    approval: null,
    kind: "question",
  } as const;
  return { hold: prompt, action, askedBy: speaker, askedAt, deadline, ...unbound };
}

type Report = (event: string, facts: { readonly [key: string]: string }) => void;

/**
 * Keeps D1's copies of what one conversation holds: its audit's lines, and which cards are open. What was told is remembered
 * while the object lives; a new life looks what is there. Telling again changes nothing.
 */
export class HoldsMirror {
  readonly #db: Database;
  readonly #report: Report;
  /** The newest line that D1 has; undefined: not known in this life. */
  #copied: number | undefined;
  /** D1's list of cards, as it was told last in this life. */
  #told: string | undefined;

  constructor(db: Database, report: Report) {
    this.#db = db;
    this.#report = report;
  }

  /** Brings D1 up to date; `standing` is what D1's list of conversations was told. @throws when it cannot be reached. */
  async send(life: Pick<Life, "holds" | "facts" | "hasAsked">, standing: StandingCards): Promise<void> {
    const hasHeld = life.holds.audit.head() !== undefined;
    if (hasHeld) await this.sendLines(life);
    if (hasHeld || life.hasAsked()) await this.#sendCards(life.facts.key, standing);
  }

  /** The audit outlives its conversation: D1 has all of it before the storage goes. @throws when D1 cannot take it. */
  async close(life: Life, by: string | null): Promise<void> {
    const { audit } = life.holds;
    if (!audit.head()) return;
    life.kernel.commit((tx) => audit.close(tx, by));
    // What is at work meanwhile may have something to tell.
    do await this.sendLines(life);
    while (!this.hasAll(life));
  }

  /** Copies every line that D1 does not have. @throws when it cannot be reached. */
  async sendLines({ holds, facts }: Pick<Life, "holds" | "facts">): Promise<void> {
    this.#copied ??= await this.#look(facts.key, holds.audit.head()?.seq ?? 0);
    for (;;) {
      const lines = holds.audit.linesAfter(this.#copied, LINES_AT_ONCE);
      const last = lines.at(-1);
      if (!last) return;
      const copies = lines.map((line) => ({ seq: line.seq, hash: line.hash, line: canonicalJson(line) }));
      const standing = await copyLines(this.#db, facts.key, copies);
      if (standing !== copies.at(-1)?.line) this.#report("audit.differs", { seq: String(last.seq) });
      this.#copied = last.seq;
    }
  }

  /** True when D1 has every line of the conversation. */
  hasAll({ holds }: Pick<Life, "holds">): boolean {
    return (holds.audit.head()?.seq ?? 0) <= (this.#copied ?? 0);
  }

  /** After which line copying goes on. A gap is reported, and filled by copying all lines again. */
  async #look(conversation: string, newest: number): Promise<number> {
    const { seq, count } = await readCopied(this.#db, conversation);
    if (seq > newest) this.#report("audit.ahead", { seq: String(seq), own: String(newest) });
    if (count === seq) return Math.min(seq, newest);
    this.#report("audit.gap", { seq: String(seq), lines: String(count) });
    return 0;
  }

  async #sendCards(conversation: string, { rev, cards }: StandingCards): Promise<void> {
    const told = sha256Hex(JSON.stringify(cards));
    if (told === this.#told) return;
    await mirrorCards(this.#db, conversation, rev, cards);
    this.#told = told;
  }
}
