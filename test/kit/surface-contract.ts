import { strict as assert } from "node:assert";
import { describe, expect, it } from "vitest";
import type { Script } from "./scripted-model.ts";
import { until } from "./until.ts";

/** Who does something in a check. `owner` owns the deployment, and in a private conversation is somebody else's. */
export type Role = "person" | "stranger" | "approver" | "owner";

/** What a check begins with. */
export interface SurfaceScene {
  readonly visibility: "private" | "shared";
  /**
   * How the scene's call is held: for the approver to answer, for its speaker alone, above everybody's tier but the owner's,
   * or withdrawn by the next one. Absent: plainly.
   */
  readonly hold?: "approver" | "speaker" | "owner" | "superseded";
}

/** A card as people see it. */
export interface SeenCard {
  readonly id: string;
  readonly isOpen: boolean;
}

/** What the surface under test can do; the checks of what it cannot are left out. */
export interface SurfaceAbilities {
  readonly cards: boolean;
  readonly files: boolean;
  readonly presence: boolean;
  readonly progress: boolean;
  /** Messages that wait are marked. */
  readonly marks: boolean;
  /** Messages bring files. */
  readonly attachments: boolean;
}

/** A fresh conversation on the surface, with {@link contractScript} for a model. */
export interface SurfaceSubject {
  /** Prefix of its channel keys. */
  readonly surface: string;
  readonly channel: string;
  say(role: Role, text: string, file?: { readonly name: string; readonly text: string }): Promise<unknown>;
  /** Names and bytes of the files that messages brought, as the conversation keeps them. */
  brought(): Promise<readonly string[]>;
  /** Has something said by a plugin, for the person. Resolves with whether it was taken. */
  haveSaid(key: string, text: string): Promise<boolean>;
  /** What became of it. */
  receipt(key: string): Promise<string | undefined>;
  /** Messages of people that are marked as waiting, by their words. */
  marked(): Promise<readonly string[]>;
  /** What was ordered of turns that nobody waits for. */
  ordered(): Promise<readonly string[]>;
  /** What the conversation heard, with the principal who said it. */
  heard(): Promise<readonly { readonly principalId: string; readonly text: string }[]>;
  principalOf(role: Role): string;
  /** Texts that people see, in order, and names of files. */
  texts(): Promise<readonly string[]>;
  files(): Promise<readonly string[]>;
  cards(): Promise<readonly SeenCard[]>;
  /** Resolves with whether it counted. */
  press(role: Role, card: string, decision: "approve" | "decline"): Promise<boolean>;
  /** As {@link press}, by the person on another surface. */
  pressElsewhere(card: string, decision: "approve" | "decline"): Promise<boolean>;
  /** One option or text for each question. */
  answer(role: Role, card: string, answers: readonly string[]): Promise<boolean>;
  /** Takes along what a card offers to copy. */
  copy(card: string): Promise<string | undefined>;
  stop(role: Role): Promise<unknown>;
  isTyping(): Promise<boolean>;
  showsStop(): Promise<boolean>;
  /** Begins typing and a stop control by the surface itself, and ends each twice. */
  endTwice(): Promise<void>;
  /** Names of tools that were shown at work. */
  progress(): Promise<readonly string[]>;
  /** How often the held call had its effect. */
  ran(): number;
  /** Codes of the results that calls have. */
  results(): Promise<readonly string[]>;
  /** The process dies, and another one opens. */
  restart(): Promise<void>;
}

export type MakeSubject = (scene: SurfaceScene) => Promise<SurfaceSubject>;

/** How long a check waits for what has to come. Milliseconds. */
const PATIENCE_MS = 4_500;
/** How long nothing may happen where nothing must. */
const QUIET_MS = 50;

const LONG = Array.from({ length: 200 }, (_, nth) => `word${nth}`).join(" ");
const QUESTION = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };

/** The model of every check: does what the newest words of a person ask for. */
export const contractScript: Script = ({ messages }) => {
  const last = messages.at(-1);
  const said = last?.role === "user" ? last.content.map((part) => ("text" in part ? part.text : "")).join("\n") : "";
  const call = (name: string, input: object) => ({ calls: [{ name, args: JSON.stringify(input) }] });
  const order = /^#(\w+)/m.exec(said)?.[1];
  switch (order) {
    case "call":
      return call("send_webhook", { target: "build", body: { text: said.slice(-20) } });
    case "ask":
      return call("ask_user", QUESTION);
    case "quiz":
      return call("ask_questions", { questions: [QUESTION, { question: "Why?" }] });
    case "draw":
      return call("contract_draw", {});
    case "work":
      return call("calculate", { expression: "6 * 7" });
    case "long":
      return { text: LONG };
    default:
      return { text: "Done." };
  }
};

interface Check {
  /** What follows the rule and stands before the colon names it. */
  readonly title: string;
  readonly needs?: keyof SurfaceAbilities;
  /** Only where it cannot. */
  readonly lacks?: keyof SurfaceAbilities;
  run(make: MakeSubject, wait: Wait): Promise<void>;
}

function check(title: string, how: Omit<Check, "title">): Check {
  return { title, ...how };
}

type Wait = (condition: () => boolean | Promise<boolean>, what: string) => Promise<void>;

const PRIVATE: SurfaceScene = { visibility: "private" };
const SHARED: SurfaceScene = { visibility: "shared" };

/** Says so, and waits for the card that comes of it. */
async function toCard(subject: SurfaceSubject, wait: Wait, order = "#call"): Promise<string> {
  await subject.say("person", order);
  await wait(async () => (await subject.cards()).some(({ isOpen }) => isOpen), "a card");
  return (await subject.cards()).find(({ isOpen }) => isOpen)?.id ?? "";
}

const isOpen = async (subject: SurfaceSubject, card: string) =>
  (await subject.cards()).some((one) => one.id === card && one.isOpen);
const isClosed = async (subject: SurfaceSubject, card: string) => !(await isOpen(subject, card));
const isSeen = async (subject: SurfaceSubject, text: string) => (await subject.texts()).join(" ").includes(text);
const quiet = () => new Promise((resolve) => setTimeout(resolve, QUIET_MS));

/** A press of theirs leaves the card open; the one who may still decides it. */
async function expectOnly(
  make: MakeSubject,
  wait: Wait,
  scene: SurfaceScene,
  { may, mayNot }: { readonly may: Role; readonly mayNot: readonly Role[] },
): Promise<void> {
  const subject = await make(scene);
  const card = await toCard(subject, wait);
  for (const role of mayNot) {
    for (const decision of ["approve", "decline"] as const) {
      assert.equal(await subject.press(role, card, decision), false, `a press of the ${role} counted`);
    }
  }
  await quiet();
  assert.ok(await isOpen(subject, card), "the card did not stay open");
  assert.equal(subject.ran(), 0, "it ran");
  assert.equal(await subject.press(may, card, "approve"), true, `the press of the ${may} did not count`);
  await wait(() => subject.ran() === 1, "the call to run");
  await wait(() => isClosed(subject, card), "the card to close");
}

const CHECKS: readonly Check[] = [
  check("[X-71] delivery: words and their writer arrive in a channel of its prefix, and are answered", {
    async run(make, wait) {
      const subject = await make(PRIVATE);
      assert.ok(subject.channel.startsWith(`${subject.surface}:`), `${subject.channel} is not of ${subject.surface}`);
      await subject.say("person", "Hello there");
      await wait(() => isSeen(subject, "Done."), "the answer");
      const principalId = subject.principalOf("person");
      assert.deepEqual(await subject.heard(), [{ principalId, text: "Hello there" }]);
    },
  }),
  check("[X-72] chunks: every part of a long reply is seen, in order, once", {
    async run(make, wait) {
      const subject = await make(PRIVATE);
      await subject.say("person", "#long");
      await wait(() => isSeen(subject, "word199"), "the end of the reply");
      const words = (await subject.texts()).join("").match(/word\d+/g) ?? [];
      assert.deepEqual(words, LONG.split(" "));
    },
  }),
  check("[X-73] files: a file of the turn comes with its reply", {
    needs: "files",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      await subject.say("person", "#draw");
      await wait(async () => (await subject.files()).includes("drawing.txt"), "the file");
    },
  }),
  check("[X-91] background: a message that its claim runs in the background is answered, as such", {
    async run(make, wait) {
      const subject = await make(PRIVATE);
      await subject.say("person", "#background");
      await wait(() => isSeen(subject, "Done."), "the answer");
      const [order = "", ...more] = await subject.ordered();
      assert.match(order, /ordered in advance.*Look after it\./s);
      assert.deepEqual(more, []);
    },
  }),
  check("[X-99] saying: what a plugin says is seen once, without a turn, and its receipt says so", {
    async run(make, wait) {
      const subject = await make(PRIVATE);
      await subject.say("person", "Hello there");
      await wait(() => isSeen(subject, "Done."), "the answer");
      assert.equal(await subject.haveSaid("news", "The build is done"), true);
      await wait(async () => (await subject.receipt("news")) === "said", "the receipt");
      await subject.restart();
      assert.equal(await subject.haveSaid("news", "The build is done"), true);
      assert.equal(await subject.haveSaid("news", "Other words"), false);
      await quiet();
      const said = (await subject.texts()).join(" ");
      assert.equal(said.split("The build is done").length, 2, said);
      assert.ok(!said.includes("Other words"));
      assert.equal(said.split("Done.").length, 2, "a turn came of it");
    },
  }),
  check("[X-95] attachments: a file that comes with a message is kept under its name, whole", {
    needs: "attachments",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      await subject.say("person", "Look at this", { name: "plan.txt", text: "a plan" });
      await wait(() => isSeen(subject, "Done."), "the answer");
      assert.deepEqual(await subject.brought(), ["plan.txt: a plan"]);
      assert.deepEqual(
        (await subject.heard()).map(({ text }) => text),
        ["Look at this"],
      );
    },
  }),
  check("[X-102] waiting: a message that waits for its place is marked until it is read, over a restart", {
    needs: "marks",
    async run(make, wait) {
      const subject = await make(SHARED);
      await toCard(subject, wait);
      await subject.say("stranger", "Wait for me");
      await wait(async () => (await subject.marked()).includes("Wait for me"), "the mark");
      await subject.restart();
      assert.deepEqual(await subject.marked(), ["Wait for me"]);
      await subject.stop("person");
      await wait(async () => (await subject.marked()).length === 0, "the mark to go");
    },
  }),
  check("[X-74] presence: typing and stop end with the turn, and ending twice is ending once", {
    needs: "presence",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      const card = await toCard(subject, wait);
      assert.ok((await subject.isTyping()) && (await subject.showsStop()), "a running turn is not shown");
      await subject.press("person", card, "decline");
      await wait(async () => !(await subject.isTyping()) && !(await subject.showsStop()), "the end to be shown");
      await subject.endTwice();
      assert.ok(!(await subject.isTyping()) && !(await subject.showsStop()), "what ended twice stands");
    },
  }),
  check("[X-75] progress: a tool at work is shown by its name", {
    needs: "progress",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      await subject.say("person", "#work");
      await wait(async () => (await subject.progress()).includes("calculate"), "the tool to be shown");
    },
  }),
  check("[X-76] approve: the call runs once, and the card closes", {
    needs: "cards",
    run: (make, wait) => expectOnly(make, wait, PRIVATE, { may: "person", mayNot: [] }),
  }),
  check("[X-76] decline: the call never runs, and the card closes", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      const card = await toCard(subject, wait);
      assert.equal(await subject.press("person", card, "decline"), true);
      await wait(() => isClosed(subject, card), "the card to close");
      await wait(async () => (await subject.results()).includes("declined"), "the result");
      assert.equal(subject.ran(), 0);
    },
  }),
  check("[X-77] stop: a card of a stopped turn closes, and its call never runs", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      const card = await toCard(subject, wait);
      await subject.stop("person");
      await wait(() => isClosed(subject, card), "the card to close");
      assert.equal(await subject.press("person", card, "approve"), false);
      assert.equal(subject.ran(), 0);
    },
  }),
  check("[X-78] stranger: another person's press leaves the card open", {
    needs: "cards",
    run: (make, wait) => expectOnly(make, wait, SHARED, { may: "person", mayNot: ["stranger"] }),
  }),
  check("[X-78] owner in private: an owner cannot answer for the person", {
    needs: "cards",
    run: (make, wait) => expectOnly(make, wait, PRIVATE, { may: "person", mayNot: ["owner"] }),
  }),
  check("[X-79] above tier in private: unavailable at once, and nothing is shown", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make({ visibility: "private", hold: "owner" });
      await subject.say("person", "#call");
      await wait(async () => (await subject.results()).includes("unavailable"), "the result");
      await wait(() => isSeen(subject, "Done."), "the reply");
      assert.deepEqual(await subject.cards(), []);
    },
  }),
  check("[X-80] supersede: a newer call closes the card of an older one, which never runs", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make({ visibility: "private", hold: "superseded" });
      const card = await toCard(subject, wait, "#call one");
      await subject.say("person", "#call two");
      await wait(() => isClosed(subject, card), "the older card to close");
      assert.equal(await subject.press("person", card, "approve"), false);
      assert.equal(subject.ran(), 0);
      await wait(async () => (await subject.cards()).some((one) => one.isOpen), "the newer card");
    },
  }),
  check("[X-81] approvers: the one who is named answers, the speaker and a stranger do not", {
    needs: "cards",
    run: (make, wait) =>
      expectOnly(
        make,
        wait,
        { visibility: "shared", hold: "approver" },
        { may: "approver", mayNot: ["person", "stranger"] },
      ),
  }),
  check("[X-82] speaker only: an owner's press leaves the card open", {
    needs: "cards",
    run: (make, wait) =>
      expectOnly(make, wait, { visibility: "shared", hold: "speaker" }, { may: "person", mayNot: ["owner"] }),
  }),
  check("[X-83] questions: an offered answer counts, a stranger's does not, and the card closes", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make(SHARED);
      const card = await toCard(subject, wait, "#ask");
      assert.equal(await subject.answer("stranger", card, ["Red"]), false);
      assert.equal(await subject.answer("person", card, ["Green"]), false);
      assert.ok(await isOpen(subject, card));
      assert.equal(await subject.answer("person", card, ["Blue"]), true);
      await wait(() => isClosed(subject, card), "the card to close");
    },
  }),
  check("[X-83] questionnaires: several questions are answered together", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      const card = await toCard(subject, wait, "#quiz");
      assert.equal(await subject.answer("person", card, ["Red"]), false);
      assert.equal(await subject.answer("person", card, ["Red", "Because"]), true);
      await wait(() => isClosed(subject, card), "the card to close");
    },
  }),
  check("[X-84] copy: taking a text along settles nothing", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make({ visibility: "private", hold: "superseded" });
      const card = await toCard(subject, wait);
      assert.equal(await subject.copy(card), "take this along");
      await quiet();
      assert.ok(await isOpen(subject, card));
      assert.equal(subject.ran(), 0);
    },
  }),
  check("[X-85] late: a card and a question are answered after a restart", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      const card = await toCard(subject, wait);
      await subject.restart();
      assert.equal(await subject.press("person", card, "approve"), true);
      await wait(() => subject.ran() === 1, "the call to run");
      await wait(() => isClosed(subject, card), "the card to close");
      const question = await toCard(subject, wait, "#ask");
      await subject.restart();
      assert.equal(await subject.answer("person", question, ["Red"]), true);
      await wait(() => isClosed(subject, question), "the question to close");
    },
  }),
  check("[X-86] two surfaces: the first press counts, the other one does not, and both see the same end", {
    needs: "cards",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      const card = await toCard(subject, wait);
      const counted = await Promise.all([
        subject.press("person", card, "approve"),
        subject.pressElsewhere(card, "decline"),
      ]);
      assert.equal(counted.filter(Boolean).length, 1, "not exactly one press counted");
      await wait(() => isClosed(subject, card), "the card to close");
      const [isApproved] = counted;
      if (isApproved) await wait(() => subject.ran() === 1, "the call to run");
      else await wait(async () => (await subject.results()).includes("declined"), "the result");
      assert.equal(subject.ran(), isApproved ? 1 : 0);
    },
  }),
  check("[X-87] without cards: the call is listed, and the person's yes runs it once", {
    lacks: "cards",
    async run(make, wait) {
      const subject = await make(PRIVATE);
      await subject.say("person", "#call");
      await wait(() => isSeen(subject, "waits for your answer"), "the list");
      assert.equal(subject.ran(), 0);
      await subject.restart();
      await subject.say("person", "yes");
      await wait(() => subject.ran() === 1, "the call to run");
    },
  }),
];

/** The checks that a surface of these abilities has to pass. */
function checksFor(can: SurfaceAbilities): readonly Check[] {
  return CHECKS.filter(({ needs, lacks }) => (!needs || can[needs]) && (!lacks || !can[lacks]));
}

/** Registers every check of the contract as a test. @param make a fresh subject for each. */
export function describeSurfaceContract(name: string, can: SurfaceAbilities, make: MakeSubject): void {
  describe(`the surface contract, ${name}`, () => {
    it.each(checksFor(can).map(({ title, run }) => [title, run] as const))("%s", async (_title, run) => {
      const wait: Wait = (condition, what) => until(condition, what, PATIENCE_MS);
      await expect(run(make, wait)).resolves.toBeUndefined();
    });
  });
}

/** Names the checks that are broken. @param patienceMs how long each waits for what has to come. @param the one check of this name. */
export async function checkSurfaceContract(
  can: SurfaceAbilities,
  make: MakeSubject,
  { patienceMs = PATIENCE_MS, only }: { readonly patienceMs?: number; readonly only?: string } = {},
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const { title, run } of checksFor(can)) {
    const name = title.slice(title.indexOf("] ") + 2, title.indexOf(":"));
    if (only !== undefined && name !== only) continue;
    try {
      await run(make, (condition, what) => until(condition, what, patienceMs));
    } catch {
      broken.push(name);
    }
  }
  return broken;
}
