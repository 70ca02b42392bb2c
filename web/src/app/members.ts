import { type Signal, signal } from "@preact/signals";
import type { Person } from "../../../src/protocol/people.ts";
import type { Member } from "../../../src/protocol/rest.ts";
import type { Rest } from "../net/rest.ts";

/** Tiers of whom nobody can take in. */
const NOWHERE: ReadonlySet<string> = new Set(["guest"]);

/** Who is in a shared conversation and who could be, as far as it was read. */
export class Members {
  readonly all: Signal<readonly Member[] | undefined> = signal(undefined);
  /** People of the deployment; only owners read them. */
  readonly people: Signal<readonly Person[]> = signal([]);
  /** Cursor of the next page of people; undefined at the end. */
  readonly next: Signal<string | undefined> = signal(undefined);
  /** Why the last thing did not work, in the server's words. */
  readonly problem: Signal<string | undefined> = signal(undefined);
  readonly #id: string;
  readonly #rest: Rest;

  constructor(id: string, rest: Rest) {
    this.#id = id;
    this.#rest = rest;
  }

  async read(): Promise<void> {
    const reply = await this.#rest.members(this.#id);
    if (reply.ok) this.all.value = reply.value.members;
    else this.problem.value = reply.error.message;
  }

  async readPeople(): Promise<void> {
    const reply = await this.#rest.people(this.next.value);
    if (!reply.ok) {
      this.problem.value = reply.error.message;
      return;
    }
    this.people.value = [...this.people.value, ...reply.value.people];
    this.next.value = reply.value.next;
  }

  /** People who could be taken in. */
  get candidates(): readonly Person[] {
    const inside = new Set(this.all.value?.map(({ id }) => id));
    return this.people.value.filter(
      ({ id, tier, disabledAt }) => disabledAt === undefined && !NOWHERE.has(tier) && !inside.has(id),
    );
  }

  async add(person: string): Promise<void> {
    const reply = await this.#rest.addMember(this.#id, person);
    this.problem.value = reply.ok ? undefined : reply.error.message;
    await this.read();
  }

  /** @returns whether they are out. */
  async remove(person: string): Promise<boolean> {
    const reply = await this.#rest.removeMember(this.#id, person);
    this.problem.value = reply.ok ? undefined : reply.error.message;
    return reply.ok;
  }
}
