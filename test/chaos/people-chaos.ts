import { randomUUID } from "node:crypto";
import type { AppServer } from "../kit/app-server/app-server.ts";
import type { EffectReceiver } from "../kit/effect-receiver.ts";
import type { SeededRandom } from "../kit/random.ts";
import { checkConversation, checkEffects, checkSeat, type Place } from "./people-checks.ts";
import { Person } from "./person.ts";
import { Seat } from "./seat.ts";

export interface PeopleOptions {
  readonly kills: number;
  readonly random: SeededRandom;
  readonly server: AppServer;
  readonly receiver: EffectReceiver;
  readonly say: (line: string) => void;
}

export interface PeopleReport {
  readonly kills: number;
  readonly killedInTurn: number;
  readonly messages: number;
  readonly effects: number;
  readonly approved: number;
  readonly demotions: number;
  readonly deeds: { readonly [deed: string]: number };
  readonly violations: readonly string[];
}

const MAX_REST_MS = 60_000;

/**
 * An owner and a member in a shared conversation, and each in a private one of their own. They talk, decide about each
 * other's calls, and the member loses and gets back their tier, while the server is killed at random moments; then
 * everything has to add up.
 */
export class PeopleChaos {
  readonly #options: PeopleOptions;
  readonly #owner: Person;
  readonly #member: Person;
  readonly #places: readonly Place[];
  readonly #violations: string[] = [];
  #killedInTurn = 0;
  #isDemoted = false;
  #demotions = 0;

  private constructor(options: PeopleOptions, [owner, member]: readonly [Person, Person]) {
    this.#options = options;
    this.#owner = owner;
    this.#member = member;
    const place = (visibility: Place["visibility"], ...people: readonly Person[]): Place => {
      const id = randomUUID();
      return { id, visibility, seats: people.map((person) => new Seat(person, id, options.random)) };
    };
    this.#places = [place("shared", owner, member), place("private", owner), place("private", member)];
  }

  /** Runs on a server that is up, and leaves it dead. */
  static async run(options: PeopleOptions): Promise<PeopleReport> {
    const { server } = options;
    const join = async (name: string, tier: "owner" | "member") => {
      const { principalId, session } = await server.person(name, tier);
      return new Person(server, { name, principalId, cookie: `althing_dev=${session}` });
    };
    const chaos = new PeopleChaos(options, [await join("Olga", "owner"), await join("Mia", "member")]);
    await chaos.#open();
    for (let kill = 1; kill <= options.kills; kill++) await chaos.#round(kill);
    return await chaos.#finish();
  }

  get #seats(): readonly Seat[] {
    return this.#places.flatMap(({ seats }) => seats);
  }

  async #open(): Promise<void> {
    for (const { id, visibility, seats } of this.#places) {
      const [first] = seats;
      await expectDone(first?.person.post("/conversations", { id, visibility }));
      for (const { person } of seats.slice(1)) {
        await expectDone(first?.person.post(`/conversations/${id}/members`, { person: person.principalId }));
      }
    }
  }

  /** Everybody acts; somewhere in the middle the server dies. Whoever was pressing something is told nothing. */
  async #round(kill: number): Promise<void> {
    const { random, server, say } = this.#options;
    const alive = random.between(200, 1_500);
    const until = Date.now() + alive;
    const acting = [...this.#seats.map((seat) => seat.act(until)), this.#manage(until)];
    await sleep(alive - random.between(0, 100));
    const stages = this.#seats.map(({ client }) => client.view?.turn?.stage ?? "idle");
    await server.kill();
    if (stages.some((stage) => stage !== "idle" && stage !== "waiting")) this.#killedInTurn++;
    await Promise.all(acting);
    await server.start();
    say(`kill ${kill}: ${stages.join(", ")}${this.#isDemoted ? ", Mia is a guest" : ""}`);
  }

  /** Takes the member's tier away in the middle of whatever they do, and gives it back. */
  async #manage(until: number): Promise<void> {
    const { random } = this.#options;
    while (Date.now() < until) {
      if (random.unit() < (this.#isDemoted ? 0.3 : 0.08)) await this.#setTier(this.#isDemoted ? "member" : "guest");
      await sleep(random.between(50, 250));
    }
  }

  async #setTier(tier: "guest" | "member"): Promise<boolean> {
    const { status } = await this.#owner.post(`/people/${this.#member.principalId}/tier`, { tier });
    if (status !== 204) return false;
    this.#isDemoted = tier === "guest";
    if (this.#isDemoted) this.#demotions++;
    return true;
  }

  async #finish(): Promise<PeopleReport> {
    const { server, receiver, kills } = this.#options;
    const found = this.#violations;
    if (!(await this.#setTier("member"))) found.push("the member does not get their tier back");
    await this.#comeToRest();
    let approved = 0;
    for (const place of this.#places) {
      for (const seat of place.seats) found.push(...(await checkSeat(seat)));
      const checked = await checkConversation(place, { server, owner: this.#owner, receiver });
      found.push(...checked.violations);
      approved += checked.approved;
    }
    found.push(...checkEffects(receiver), ...this.#owner.failures, ...this.#member.failures);
    for (const { client } of this.#seats) client.close();
    found.push(...(await this.#checkAlarms()));
    return {
      kills,
      killedInTurn: this.#killedInTurn,
      messages: sum(this.#seats.map(({ said }) => said.size)),
      effects: receiver.total,
      approved,
      demotions: this.#demotions,
      deeds: addUp(this.#seats.map(({ deeds }) => deeds)),
      violations: found,
    };
  }

  /** Everything that was said comes to its end, once whoever may decides about what waits. */
  async #comeToRest(): Promise<void> {
    const deadline = Date.now() + MAX_REST_MS;
    let missing: readonly string[] = [];
    while (Date.now() < deadline) {
      for (const seat of this.#seats) {
        if (!seat.client.isOpen) await seat.client.connect();
        await seat.approveAll();
        await seat.goOn();
      }
      missing = this.#seats.flatMap(whyRestless);
      if (missing.length === 0) return;
      await sleep(100);
    }
    this.#violations.push(...missing);
  }

  /** A conversation at rest has no alarm: looked up in what the dead server left on disk. */
  async #checkAlarms(): Promise<readonly string[]> {
    const { server } = this.#options;
    await server.kill();
    const armed = server.alarms("Conversation");
    return armed === 0 ? [] : [`${armed} conversations at rest have an alarm`];
  }
}

function whyRestless({ client, said, accepted, label }: Seat): readonly string[] {
  const { view } = client;
  if (!view) return [`${label}: never seen`];
  const unsaid = [...said.keys()].filter((id) => !accepted.has(id));
  const isAtRest = !view.turn && view.inbox.length === 0 && Object.keys(view.tasks).length === 0;
  if (isAtRest && unsaid.length === 0) return [];
  const { turn, inbox, tasks } = view;
  return [
    `${label} is not at rest: ${JSON.stringify({ turn, inbox: inbox.length, tasks })}, unsaid ${unsaid.join(" ")}`,
  ];
}

async function expectDone(answer: ReturnType<Person["post"]> | undefined): Promise<void> {
  const { status, text } = (await answer) ?? { status: 0, text: "nobody asked" };
  if (status < 200 || status > 299) throw new Error(`the stage was not set: ${status} ${text}`);
}

function addUp(counts: readonly { readonly [deed: string]: number }[]): { readonly [deed: string]: number } {
  const all: { [deed: string]: number } = {};
  for (const [deed, count] of counts.flatMap((each) => Object.entries(each))) all[deed] = (all[deed] ?? 0) + count;
  return all;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
