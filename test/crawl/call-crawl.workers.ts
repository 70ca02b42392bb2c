import { conversationOf } from "../../src/env.ts";
import type { ObjectRpc } from "../../src/objects/rpc.ts";
import type { Caller } from "../../src/people/facts.ts";
import type { ErrorCode } from "../../src/protocol/frames.ts";
import type { Visitor } from "../kit/edge.ts";
import type { Call } from "./calls.workers.ts";
import { changed } from "./changed.ts";
import { MARK, type PlaceName, type Scene } from "./scene.workers.ts";
import { storedEverywhere } from "./stored.workers.ts";
import { strangers } from "./ways.workers.ts";

/** Somebody who calls, and the code that they hear. */
interface Knock {
  readonly name: string;
  readonly caller: Caller;
  readonly code: ErrorCode;
}

/**
 * Calls a method in every way that must be refused, past the Worker. Yields what is wrong, in words.
 * @param by `object`: an object calls for its owner, whose session does not count.
 */
export async function* tryCalls(scene: Scene, call: Call, by: "worker" | "object"): AsyncGenerator<string> {
  const before = await storedEverywhere(scene);
  for (const place of ["private", "room"] as const) {
    for (const knock of [...outcasts(scene, by), ...outsiders(scene, call, place)]) {
      const [here, there] = await Promise.all([tell(scene, call, place, knock), tell(scene, call, "missing", knock)]);
      yield* refused(`${knock.name} in ${place}`, knock, here);
      if (knock.code !== "forbidden" && JSON.stringify(here) !== JSON.stringify(there)) {
        yield `${knock.name} in ${place} can tell it from what is missing: ${JSON.stringify([here, there])}`;
      }
    }
  }
  yield* changed(before, await storedEverywhere(scene));
}

/** Calls what makes a conversation, where somebody else has one or nobody may. */
export async function* tryMaking(scene: Scene, call: Call): AsyncGenerator<string> {
  const before = await storedEverywhere(scene);
  for (const place of ["private", "room", "missing"] as const) {
    const knocks = place === "missing" ? [] : outsiders(scene, call, place);
    for (const knock of [...outcasts(scene, "worker"), ...knocks]) {
      yield* refused(`${knock.name} in ${place}`, knock, await tell(scene, call, place, knock));
    }
  }
  yield* changed(before, await storedEverywhere(scene));
}

interface Told {
  readonly ok: boolean;
  readonly error?: { readonly code: string };
}

async function tell(scene: Scene, { call }: Call, at: PlaceName, { caller }: Knock): Promise<Told> {
  const place = scene[at];
  const rpc = conversationOf(scene.edge.env, place.stage.key) as unknown as ObjectRpc;
  return (await call(rpc, caller, place, scene.cast)) as Told;
}

function* refused(who: string, { code }: Knock, told: Told): Generator<string> {
  const text = JSON.stringify(told);
  if (told.ok || told.error?.code !== code) yield `${who} hears ${text.slice(0, 200)} and not ${code}`;
  if (text.includes(MARK)) yield `${who} reads what people wrote: ${text.slice(0, 200)}`;
}

/** People who may not enter at all, and callers that the Worker would not make. */
function outcasts({ cast }: Scene, by: "worker" | "object"): readonly Knock[] {
  const knock = (name: string, { caller }: Visitor, code: ErrorCode): Knock => ({ name, caller, code });
  const always = [
    knock("a guest", cast.guest, "forbidden"),
    knock("somebody who is switched off", cast.disabled, "forbidden"),
    { name: "nobody", caller: { ...cast.bert.caller, principalId: "p_nobody" }, code: "unauthenticated" } as const,
  ];
  if (by === "object") return always;
  return [
    ...always,
    knock("an unlinked identity", cast.unlinked, "forbidden"),
    knock("a revoked session", cast.revoked, "unauthenticated"),
    knock("a session that has ended", cast.expired, "unauthenticated"),
    {
      name: "somebody else's session",
      caller: { ...cast.anna.caller, sessionHash: cast.bert.caller.sessionHash },
      code: "unauthenticated",
    },
  ];
}

/** People who may be here and not do this. */
function outsiders({ cast }: Scene, call: Call, place: "private" | "room"): readonly Knock[] {
  return strangers(cast, call, place).flatMap(({ name, with: { as }, code }) =>
    as ? [{ name, caller: as.caller, code: code as ErrorCode }] : [],
  );
}
