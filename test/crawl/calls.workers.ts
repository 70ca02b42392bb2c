import type { ObjectRpc } from "../../src/objects/rpc.ts";
import type { Caller } from "../../src/people/facts.ts";
import { upgradeRequest } from "../kit/chat-socket.workers.ts";
import type { Stage } from "../kit/stage.workers.ts";
import type { Audience } from "./doors.workers.ts";
import type { Cast, Place } from "./scene.workers.ts";

/** A good call of a method of the conversation's object, as somebody would make it. */
export interface Call {
  readonly for: Extract<Audience, "members" | "speaker" | "room owners">;
  readonly call: (rpc: ObjectRpc, caller: Caller, place: Place, cast: Cast) => Promise<unknown>;
}

const members = (call: Call["call"]): Call => ({ for: "members", call });
const speaker = (call: Call["call"]): Call => ({ for: "speaker", call });
const owners = (call: Call["call"]): Call => ({ for: "room owners", call });

/** Calls that another object makes for a person, or that the Worker makes for whoever it resolved. */
export const CALLS: Readonly<Record<string, readonly Call[]>> = {
  members: [members((rpc, caller) => rpc.members(caller))],
  addMember: [owners((rpc, caller, _, { ada }) => rpc.addMember(caller, ada.caller.principalId))],
  removeMember: [owners((rpc, caller, _, { olga }) => rpc.removeMember(caller, olga.caller.principalId))],
  submit: [
    members((rpc, caller) => rpc.submit(caller, { id: "x", text: "Let me in" })),
    owners((rpc, caller) => rpc.submit(caller, { id: "x", text: "Let me in", rewindTo: 0 })),
  ],
  withdraw: [speaker((rpc, caller, { queued }) => rpc.withdraw(caller, queued))],
  stop: [speaker((rpc, caller) => rpc.stop(caller))],
  resumeQueue: [members((rpc, caller) => rpc.resumeQueue(caller))],
  decide: [members((rpc, caller, { hold, digest }) => rpc.decide(caller, { hold, digest, decision: "decline" }))],
  decideMany: [
    members((rpc, caller, { hold, digest }) =>
      rpc.decideMany(caller, { cards: [{ hold, digest }], decision: "decline" }),
    ),
  ],
  actOnCard: [members((rpc, caller, { hold }) => rpc.actOnCard(caller, hold, { kind: "ask_again" }))],
  answer: [members((rpc, caller) => rpc.answer(caller, { prompt: "01", answers: [null] }))],
  constrain: [
    owners((rpc, caller) =>
      rpc.constrain(caller, { id: crypto.randomUUID(), tools: ["calculate"], effect: "ask", text: "Ask" }),
    ),
  ],
  unconstrain: [owners((rpc, caller, { constraint }) => rpc.unconstrain(caller, constraint))],
  revoke: [owners((rpc, caller, { hold }) => rpc.revoke(caller, hold))],
  snapshot: [members((rpc, caller) => rpc.snapshot(caller))],
  entries: [members((rpc, caller) => rpc.entries(caller, { limit: 10 }))],
  entry: [members((rpc, caller, { said }) => rpc.entry(caller, said))],
  settings: [owners((rpc, caller) => rpc.settings(caller, { title: "Another" }))],
  holdArgument: [members((rpc, caller, { hold }) => rpc.holdArgument(caller, hold, "body"))],
  addFile: [members((rpc, caller) => rpc.addFile(caller, { id: "x", name: "x", mime: "text/plain", bytes: 1 }))],
  removeFile: [members((rpc, caller, { file }) => rpc.removeFile(caller, file))],
  file: [members((rpc, caller, { file }) => rpc.file(caller, file))],
  reset: [owners((rpc, caller) => rpc.reset(caller))],
  rewind: [owners((rpc, caller) => rpc.rewind(caller, 0))],
  pin: [owners((rpc, caller, { said }) => rpc.pin(caller, { entry: said, on: true }))],
  left: [owners((rpc, caller, { said }) => rpc.left(caller, said))],
  audit: [owners((rpc, caller) => rpc.audit(caller, { after: 0, limit: 10 }))],
  compact: [owners((rpc, caller) => rpc.compact(caller))],
  sentRequest: [owners((rpc, caller, { answered }) => rpc.sentRequest(caller, answered))],
  replay: [owners((rpc, caller, { answered }) => rpc.replay(caller, answered, "demo/demo"))],
  stopTask: [owners((rpc, caller) => rpc.stopTask(caller, 99_999))],
  destroy: [owners((rpc, caller) => rpc.destroy(caller))],
  exportPage: [members((rpc, caller) => rpc.exportPage(caller, 0))],
  exportPlace: [members((rpc, caller) => rpc.exportPlace(caller))],
  exportRows: [members((rpc, caller, { said }) => rpc.exportRows(caller, [[said, said]], 0))],
  fetch: [members((_, caller, { stage }) => connect(stage, caller))],
};

/** The upgrade of a socket as the Worker forwards it. */
async function connect(stage: Stage, caller: Caller): Promise<unknown> {
  const response = await stage.object.fetch(upgradeRequest(stage, caller));
  if (!response.webSocket) return { ok: false, status: response.status, ...(await response.json<object>()) };
  response.webSocket.accept();
  response.webSocket.close();
  return { ok: true };
}

/** As {@link CALLS}, by an object that asks for its owner: no session counts, their standing does. */
export const ON_BEHALF: Readonly<Record<string, Call>> = {
  forkable: members((rpc, { principalId }, { said }) => rpc.forkable({ principalId }, said)),
  forkPage: members((rpc, { principalId }, { said }) => rpc.forkPage({ principalId }, { at: said, after: 0 })),
};

/** A bundle that was never uploaded. */
const BUNDLE = { key: `import:${"0".repeat(64)}:01`, at: 1 };

/** What makes a conversation where there is none; in a place that is somebody else's it is refused. */
export const MAKING: Readonly<Record<string, Call>> = {
  create: members((rpc, caller, { stage }) => rpc.create(caller, stage.key)),
  fork: members((rpc, caller, { stage, said }) => rpc.fork(caller, stage.key, { key: stage.key, at: said })),
  importFrom: members((rpc, caller, { stage }) => rpc.importFrom(caller, stage.key, BUNDLE)),
};

/** What objects alone say to one another, and what the platform calls. The Worker has no way to any of it. */
export const BETWEEN_OBJECTS: readonly string[] = [
  "beginChild",
  "endChild",
  "lookChild",
  "childWanted",
  "childSettled",
  "childProgress",
  "startBackground",
  "backgroundState",
  "sayHere",
  "sayReceipt",
  // Asks the directory whether the person was erased, and forgets nobody else.
  "forget",
  // Asks the directory whether the two became one, and names nobody but whoever that says.
  "mergeMember",
];
/** What people do on a network that is sent messages. A conversation of the web chat answers none of it. */
export const BY_NETWORK: readonly string[] = ["hear", "press", "reply", "halt"];
export const PLATFORM: readonly string[] = [
  "constructor",
  "alarm",
  "webSocketMessage",
  "webSocketClose",
  "webSocketError",
];
