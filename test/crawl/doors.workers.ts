import { CHAT_PROTOCOL } from "../../src/protocol/close.ts";
import type { EdgeRequest } from "../kit/edge.ts";
import type { Cast, Place } from "./scene.workers.ts";

/**
 * Who comes in by a route. Of a conversation: in a private one its person, in a shared one its members, the speaker of
 * what it is about, or owners of the deployment.
 */
export type Audience = "anybody" | "people" | "admins" | "owners" | "members" | "speaker" | "room owners";

/** A good request of a route. */
export interface Door {
  readonly for: Audience;
  /** Parts of the path besides `:id`, and its `*`. */
  readonly path?: (place: Place, cast: Cast) => Readonly<Record<string, string>>;
  readonly query?: (place: Place) => string;
  readonly json?: (place: Place, cast: Cast) => unknown;
  readonly more?: () => EdgeRequest;
  /** What somebody gets who comes in: a status, with its code where that is a refusal. Of a conversation, by its kind. */
  readonly ok: Opened | { readonly private: Opened; readonly room: Opened };
  /** Writes for whoever may enter at all, and tells nothing. */
  readonly isBlind?: true;
  /** Comes after those with a lower one: it takes something away that they need. */
  readonly rank?: number;
}
type Opened = number | `${number} ${string}`;

const own = (ok: Opened, more: Partial<Door> = {}): Door => ({ for: "people", ok, ...more });
const owners = (ok: Opened, more: Partial<Door> = {}): Door => ({ for: "owners", ok, ...more });
const open = (ok: Opened, more: Partial<Door> = {}): Door => ({ for: "anybody", ok, ...more });
const inside = (whom: Audience, ok: Door["ok"], more: Partial<Door> = {}): Door => ({ for: whom, ok, ...more });

const nothing = { json: () => ({}) };
const ofTarget = { path: (_: Place, { target }: Cast) => ({ person: target.caller.principalId }) };
const ofHold = { path: ({ hold }: Place) => ({ hold, name: "body" }) };
const ofAnswer = { path: ({ answered }: Place) => ({ entry: String(answered) }) };
const uuid = () => crypto.randomUUID();
const plugin = (tier: string) => ({ path: () => ({ plugin: "gated", "*": tier }) });
const HANDSHAKE = { upgrade: "websocket", "sec-websocket-protocol": CHAT_PROTOCOL };
const CODE = "0000-0000-0000-0000-0000-0000-00";

/** Good requests of every route, by its method and path. */
export const DOORS: Readonly<Record<string, readonly Door[]>> = {
  "GET /healthz": [open(200)],
  "POST /auth/claim": [open("401 unauthenticated", { json: () => ({ code: "wrong" }) })],
  "POST /auth/signout": [open("401 unauthenticated", nothing)],
  "GET /api/v1/sign-in": [open(200)],
  "GET /auth/:name/start": [open("404 not_found", { path: () => ({ name: "nowhere" }) })],
  "GET /auth/:name/callback": [open("404 not_found", { path: () => ({ name: "nowhere" }) })],
  "POST /auth/invitation": [open(204, { json: () => ({ code: CODE }) })],
  "GET /": [open(302)],
  "GET /chat": [open(200)],
  "GET /chat/:id": [open(200)],
  "GET /claim": [open(200)],
  "GET /*": [open("404 not_found", { path: () => ({ "*": "no-such-file" }) })],

  "GET /api/v1/openapi.json": [own(200)],
  "GET /api/v1/me": [own(200)],
  "GET /api/v1/me/notices": [own(200)],
  "POST /api/v1/me/notices/read": [own(204, { json: () => ({ ids: ["1"] }) })],
  "GET /api/v1/me/spending": [own(200)],
  "GET /api/v1/me/identities": [own(200)],
  "GET /api/v1/me/identities/pending": [own("404 not_found")],
  "POST /api/v1/me/identities/pending": [own("404 not_found", { json: () => ({ identity: "oidc:x:y" }) })],
  "DELETE /api/v1/me/identities/pending": [own(204)],
  "POST /api/v1/me/identities/unlink": [own("404 not_found", { json: () => ({ identity: "oidc:x:y" }) })],
  "POST /api/v1/me/link-codes": [own("404 not_found", { json: () => ({ code: CODE }) })],
  "POST /api/v1/me/link-codes/confirm": [own("404 not_found", { json: () => ({ code: CODE, identity: "discord:1" }) })],
  "GET /api/v1/me/erase": [own(200)],
  "POST /api/v1/me/erase": [own("409 conflict", { json: () => ({ digest: "0".repeat(64) }) })],
  "GET /api/v1/waiting": [own(200)],
  "GET /api/v1/conversations": [own(200)],
  "POST /api/v1/conversations": [
    own(201, { json: () => ({ id: uuid() }) }),
    owners(201, { json: () => ({ id: uuid(), visibility: "shared" }) }),
  ],
  "POST /api/v1/conversations/import": [
    own("400 bad_request", {
      query: () => `?id=${uuid()}`,
      more: () => ({ body: "no bundle", headers: { "content-length": "9" } }),
    }),
  ],

  "GET /api/v1/spending": [owners(200)],
  "GET /api/v1/people": [owners(200)],
  "GET /api/v1/people/audit": [owners(200)],
  "POST /api/v1/people/:person/tier": [owners(204, { ...ofTarget, json: () => ({ tier: "guest" }) })],
  "POST /api/v1/people/:person/disable": [owners(204, { ...ofTarget, ...nothing })],
  "POST /api/v1/people/:person/enable": [owners(204, { ...ofTarget, ...nothing })],
  "POST /api/v1/people/:person/unlink": [
    owners(204, { ...ofTarget, json: (_, { target }) => ({ identity: target.caller.identity }) }),
  ],
  "GET /api/v1/people/erasures": [owners(200)],
  "GET /api/v1/people/:person/erase": [owners(200, ofTarget)],
  "POST /api/v1/people/:person/erase": [
    owners("409 conflict", { ...ofTarget, json: () => ({ digest: "0".repeat(64) }) }),
  ],
  "GET /api/v1/people/:person/merge": [owners("404 not_found", { ...ofTarget, query: () => "?into=p_nobody" })],
  "POST /api/v1/people/:person/merge": [
    owners("400 bad_request", {
      ...ofTarget,
      json: (_, { target }) => ({ into: target.caller.principalId, digest: "0".repeat(64) }),
    }),
  ],
  "GET /api/v1/people/invitations": [owners(200)],
  "POST /api/v1/people/invitations": [owners(201, { json: () => ({ tier: "member" }) })],
  "POST /api/v1/people/invitations/:invitation/revoke": [
    owners("404 not_found", { path: () => ({ invitation: "01" }), ...nothing }),
  ],
  "GET /api/v1/audit": [owners(200)],
  "GET /api/v1/audit/export": [owners(200)],

  "GET /plugins/:plugin/*": [own(200, plugin("member")), owners(200, plugin("owner"))],
  "POST /plugins/:plugin/*": [{ for: "admins", ok: 200, ...plugin("admin") }],
  "DELETE /plugins/:plugin/*": [owners(200, plugin("owner"))],

  "GET /chat/ws": [
    inside("members", 101, { query: ({ id }) => `?conversation=${id}`, more: () => ({ headers: HANDSHAKE }) }),
  ],
  "GET /api/v1/conversations/:id": [inside("members", 200)],
  "PATCH /api/v1/conversations/:id": [inside("room owners", 204, { json: () => ({ title: "Another" }) })],
  "DELETE /api/v1/conversations/:id": [inside("room owners", 204, { ...nothing, rank: 9 })],
  "GET /api/v1/conversations/:id/owners": [inside("members", { private: "400 bad_request", room: 200 })],
  "GET /api/v1/conversations/:id/members": [inside("members", { private: "400 bad_request", room: 200 })],
  "POST /api/v1/conversations/:id/members": [
    inside(
      "room owners",
      { private: "400 bad_request", room: 204 },
      {
        json: (_, { ada }) => ({ person: ada.caller.principalId }),
      },
    ),
  ],
  "POST /api/v1/conversations/:id/members/:person/remove": [
    inside(
      "room owners",
      { private: "400 bad_request", room: 204 },
      {
        path: (_, { olga }) => ({ person: olga.caller.principalId }),
        ...nothing,
        rank: 6,
      },
    ),
  ],
  "POST /api/v1/conversations/:id/fork": [inside("members", 201, { json: ({ said }) => ({ id: uuid(), at: said }) })],
  "POST /api/v1/conversations/:id/seen": [own(204, { json: () => ({ rev: 1 }), isBlind: true })],
  "GET /api/v1/conversations/:id/entries": [inside("members", 200)],
  "GET /api/v1/conversations/:id/entries/:entry": [inside("members", 200, ofAnswer)],
  "GET /api/v1/conversations/:id/export": [inside("members", 200)],
  "GET /api/v1/conversations/:id/audit": [
    inside("room owners", 200),
    inside("room owners", 200, { query: () => "?format=ndjson" }),
  ],
  "GET /api/v1/conversations/:id/holds/:hold/args/:name": [inside("members", 200, ofHold)],
  "POST /api/v1/conversations/:id/messages": [
    inside("members", 200, { json: () => ({ id: "crawl", text: "Let me in" }), rank: 3 }),
    inside("room owners", "409 busy", { json: () => ({ id: "crawl back", text: "Let me in", rewindTo: 0 }) }),
  ],
  "POST /api/v1/conversations/:id/stop": [inside("speaker", 200, { ...nothing, rank: 5 })],
  "POST /api/v1/conversations/:id/withdraw": [inside("speaker", 204, { json: ({ queued }) => ({ input: queued }) })],
  "POST /api/v1/conversations/:id/decide": [
    inside("members", 204, { json: ({ hold, digest }) => ({ hold, digest, decision: "decline" }), rank: 1 }),
  ],
  "POST /api/v1/conversations/:id/answers": [
    inside("members", "404 unknown_prompt", { json: () => ({ prompt: "01", answers: [null] }) }),
  ],
  "POST /api/v1/conversations/:id/decisions": [
    inside("members", 200, {
      json: ({ hold, digest }) => ({ cards: [{ hold, digest }], decision: "decline" }),
      rank: 2,
    }),
  ],
  "POST /api/v1/conversations/:id/holds/:hold/ask-again": [
    inside("members", "409 nothing_to_do", { ...ofHold, ...nothing }),
  ],
  "POST /api/v1/conversations/:id/holds/:hold/extend": [
    inside("members", 204, { ...ofHold, json: () => ({ until: Date.now() + 48 * 3_600_000 }) }),
  ],
  "POST /api/v1/conversations/:id/holds/:hold/hand-over": [
    inside(
      "members",
      { private: "400 bad_request", room: 204 },
      {
        ...ofHold,
        json: (_, { olga }) => ({ to: olga.caller.principalId }),
      },
    ),
  ],
  "POST /api/v1/conversations/:id/constraints": [
    inside("room owners", 204, { json: () => ({ id: uuid(), tools: ["calculate"], effect: "ask", text: "Ask" }) }),
  ],
  "POST /api/v1/conversations/:id/constraints/:constraint/remove": [
    inside("room owners", 204, { path: ({ constraint }) => ({ constraint }), ...nothing }),
  ],
  "POST /api/v1/conversations/:id/allow-rules/:rule/revoke": [
    inside("room owners", "404 not_found", { path: ({ hold }) => ({ rule: hold }), ...nothing }),
  ],
  "POST /api/v1/conversations/:id/continue": [inside("members", 200, nothing)],
  "POST /api/v1/conversations/:id/reset": [inside("room owners", 200, { ...nothing, rank: 4 })],
  "POST /api/v1/conversations/:id/rewind": [inside("room owners", "409 busy", { json: () => ({ to: 0 }) })],
  "POST /api/v1/conversations/:id/pin": [
    inside("room owners", 204, { json: ({ said }) => ({ entry: said, on: true }) }),
  ],
  "GET /api/v1/conversations/:id/left/:entry": [inside("room owners", "404 not_found", ofAnswer)],
  "POST /api/v1/conversations/:id/compact": [inside("room owners", "409 nothing_to_do", nothing)],
  "POST /api/v1/conversations/:id/tasks/:task/stop": [
    inside("room owners", 200, { path: () => ({ task: "99999" }), ...nothing }),
  ],
  "GET /api/v1/conversations/:id/entries/:entry/request": [inside("room owners", 200, ofAnswer)],
  "POST /api/v1/conversations/:id/entries/:entry/replay": [
    inside("room owners", 200, { ...ofAnswer, json: () => ({ model: "demo/demo" }) }),
  ],
  "POST /api/v1/conversations/:id/files": [
    inside("members", 201, {
      query: () => "?name=a.txt",
      more: () => ({ body: "abc", headers: { "content-length": "3" } }),
    }),
  ],
  "GET /api/v1/conversations/:id/files/:file": [inside("members", 200, { path: ({ file }) => ({ file }) })],
};
