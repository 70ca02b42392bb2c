/** One check of who may do what, gone: everybody passes it. */
export interface AuthorityMutant {
  readonly name: string;
  /** Below `src`. */
  readonly file: string;
  /** Where in the file, as an offset, and what stands there. */
  readonly at: number;
  readonly text: string;
  /** The expression in its place. */
  readonly instead: string;
  /** A part of the names of those probes that are tried first. */
  readonly hint: string;
}

/** A check by its text: the first one in the file, after another text where that is given. */
type Named = Omit<AuthorityMutant, "at"> & { readonly after?: string };

const allowed = "{ ok: true }";

/** Checks that are written in many ways. */
const NAMED: readonly Named[] = [
  {
    name: "any-host",
    file: "routes/app.ts",
    text: 'guardHost(url, request.headers.get("host"), allowedHosts(deps.config.allowedHosts, env.ALTHING_LOCAL_PORT))',
    instead: "undefined",
    hint: "GET /healthz",
  },
  {
    name: "any-address",
    file: "routes/guards/host.ts",
    text: "allowed.has(url.host)",
    instead: "true",
    hint: "GET /healthz",
  },
  {
    name: "any-host-header",
    file: "routes/guards/host.ts",
    text: "allowed.has(withoutDefaultPort(header, url.protocol))",
    instead: "true",
    hint: "GET /healthz",
  },
  {
    name: "any-scheme",
    file: "routes/guards/host.ts",
    text: 'method !== "GET" && method !== "HEAD"',
    instead: "false",
    hint: "POST /auth/signout",
  },
  {
    name: "any-origin",
    file: "routes/app.ts",
    text: "guardOrigin(url, request.method, request.headers)",
    instead: "undefined",
    hint: "POST /auth/signout",
  },
  {
    name: "foreign-origin",
    file: "routes/guards/origin.ts",
    text: "origin === url.origin",
    instead: "origin !== null",
    hint: "POST /auth/signout",
  },
  {
    name: "no-origin",
    file: "routes/guards/origin.ts",
    text: "origin === null && mayLack",
    instead: "origin === null",
    hint: "POST /auth/signout",
  },
  {
    name: "upgrade-without-origin",
    file: "routes/guards/origin.ts",
    text: 'headers.get("upgrade") === null',
    instead: "true",
    hint: "GET /chat/ws",
  },
  {
    name: "two-credentials",
    file: "routes/guards/origin.ts",
    text: 'kind === "both"',
    instead: "false",
    hint: "POST /api/v1/me",
  },
  {
    name: "any-person",
    file: "routes/people/session.ts",
    text: "mayEnter(person?.facts, asked.now)",
    instead: allowed,
    hint: "GET /api/v1/me",
  },
  {
    name: "any-token",
    file: "auth/token-session.ts",
    text: "!proven.ok",
    instead: "!proven.ok && proven.error.kind === 'away'",
    hint: "GET /api/v1/me",
  },
  {
    name: "anybody-manages",
    file: "people/may-manage.ts",
    text: 'tierAtLeast(person.tier, "owner")',
    instead: "true",
    hint: "/people",
  },
  {
    name: "anybody-audits",
    file: "people/may-audit.ts",
    text: 'tierAtLeast(person.tier, "owner")',
    instead: "true",
    hint: "/api/v1/audit",
  },
  {
    name: "anybody-sees-spending",
    file: "routes/people/spending.ts",
    text: '!tierAtLeast(person.tier, "owner")',
    instead: "false",
    hint: "/api/v1/spending",
  },
  {
    name: "any-tier-at-a-plugin",
    file: "routes/plugins/plugin-routes.ts",
    text: "tierAtLeast(tier, needed)",
    instead: "true",
    hint: "/plugins",
  },
  {
    name: "anybody-finishes-a-deletion",
    file: "routes/conversation/conversations.ts",
    after: "const isTheirs",
    text: "isSame(person, row?.owner)",
    instead: "true",
    hint: "DELETE /api/v1/conversations",
  },
  {
    name: "nobody-enters",
    file: "people/may-act.ts",
    text: "person === undefined",
    instead: "false",
    hint: "GET /api/v1/me",
  },
  {
    name: "sessions-never-end",
    file: "people/may-act.ts",
    text: "person.sessionExpiresAt === undefined || person.sessionExpiresAt <= now",
    instead: "false",
    hint: "GET /api/v1/me",
  },
  {
    name: "switched-off-enter",
    file: "people/may-act.ts",
    text: "person.disabled",
    instead: "false",
    hint: "GET /api/v1/me",
  },
  {
    name: "unlinked-enter",
    file: "people/may-act.ts",
    text: "!person.linked",
    instead: "false",
    hint: "GET /api/v1/me",
  },
  {
    name: "guests-enter",
    file: "people/may-act.ts",
    text: '!tierAtLeast(person.tier, "member")',
    instead: "false",
    hint: "GET /api/v1/me",
  },
  {
    name: "anybody-shares",
    file: "people/may-act.ts",
    text: 'action === "share" && person.tier !== "owner"',
    instead: "false",
    hint: "POST /api/v1/conversations 2",
  },
  {
    name: "open-to-all",
    file: "people/may-act.ts",
    text: "!isOpenTo(conversation, person)",
    instead: "false",
    hint: "GET /api/v1/conversations/:id",
  },
  {
    name: "private-open-to-all",
    file: "people/may-act.ts",
    text: "isSame(person, owner)",
    instead: "true",
    hint: "GET /api/v1/conversations/:id",
  },
  {
    name: "rooms-open-to-all",
    file: "people/may-act.ts",
    text: 'person.tier === "owner" || members.some((member) => isSame(person, member))',
    instead: "true",
    hint: "GET /api/v1/conversations/:id",
  },
  { name: "members-as-owners", file: "people/may-act.ts", text: 'whose === "owners"', instead: "false", hint: "PATCH" },
  {
    name: "anybody-speaks-for-all",
    file: "people/may-act.ts",
    text: "ofPrincipal === null || isSame(person, ofPrincipal)",
    instead: "true",
    hint: "withdraw",
  },
  {
    name: "tier-of-no-account",
    file: "people/may-act.ts",
    after: "function mayActInShared",
    text: 'person.tier === "owner" || whose === "members"',
    instead: "true",
    hint: "PATCH",
  },
  {
    name: "sharing-is-creating",
    file: "objects/desk/conversation-desk.ts",
    text: 'visibility === "shared"',
    instead: "false",
    hint: "POST /api/v1/conversations 2",
  },
  {
    name: "going-back-is-saying",
    file: "objects/surface/admission-desk.ts",
    text: "rewindTo === undefined",
    instead: "true",
    hint: "messages",
  },
  {
    name: "taking-out-is-leaving",
    file: "objects/room/room-desk.ts",
    text: "person === caller.principalId",
    instead: "true",
    hint: "remove",
  },
  {
    name: "any-rule-is-ones-own",
    file: "objects/desk/policy-desk.ts",
    text: "person.ok && isSame(person.value ?? caller, rule?.by.principalId)",
    instead: "true",
    hint: "revoke",
  },
  { name: "barred-stay", file: "surfaces/webchat/handle-frame.ts", text: "!barred", instead: "true", hint: "frames" },
];

/** Calls of the one check, each written alike: their subject lets everybody pass instead. */
const CALLERS =
  /(?<subject>(?:this\.)?(?:#\w+\.)*#?(?:entrance|directory))\.(?:enter|enterAt|findOrMake|may|enterOnBehalf|mayOnBehalf)\(/g;
/** Guards of routes that are called by name, as statements. */
const GUARDS = /(?<=^ +)require(?:Owner|Auditor)\(call\)(?=;$)/gm;
/** Who does what in a shared conversation. */
const ROWS = /^ {2}(?<action>\w+): "(?:owners|speaker)",$/gm;
const METHOD = /^ {2}(?:async )?(?<name>#?\w+)\(|^(?:export const|async function|function) (?<other>\w+)/gm;

/** Every check in a file's source. @param file below `src`. */
export function mutantsIn(file: string, source: string): readonly AuthorityMutant[] {
  return numbered([
    ...NAMED.filter((mutant) => mutant.file === file).map((mutant) => place(mutant, source)),
    ...[...source.matchAll(CALLERS)].map(({ index, groups }) => {
      const subject = groups?.["subject"] ?? "";
      const name = nameAt(file, source, index);
      const hint = methodAt(source, index).replace("#", "");
      return { name, file, at: index, text: subject, instead: `globalThis.lettingAllPass(${subject})`, hint };
    }),
    ...[...source.matchAll(GUARDS)].map(({ index, 0: text }) => {
      const name = nameAt(file, source, index);
      return { name, file, at: index, text, instead: "undefined", hint: "owners" };
    }),
    ...(file === "people/may-act.ts" ? rowsOf(source) : []),
  ]);
}

/** Each row of the table of shared conversations that is not for all members, as if it were. */
function rowsOf(source: string): readonly AuthorityMutant[] {
  const [file, text] = ["people/may-act.ts", "IN_SHARED[action]"];
  const at = source.indexOf(text);
  return [...source.matchAll(ROWS)].map(({ groups }) => {
    const action = groups?.["action"] ?? "";
    const instead = `(action === "${action}" ? "members" : ${text})`;
    return { name: `${action}-for-members`, file, at, text, instead, hint: "room owners" };
  });
}

/** @throws when the text is not there. */
function place({ after = "", ...mutant }: Named, source: string): AuthorityMutant {
  const at = source.indexOf(mutant.text, source.indexOf(after));
  if (at === -1 || !source.includes(after)) throw new Error(`mutant ${mutant.name}: its text is not in ${mutant.file}`);
  return { ...mutant, at };
}

/** The source with all of them in it, each asleep until it is called by name. */
export function withMutants(source: string, mutants: readonly AuthorityMutant[]): string {
  const places = [...new Set(mutants.map(({ at }) => at))].toSorted((one, other) => other - one);
  let whole = source;
  for (const at of places) {
    const here = mutants.filter((mutant) => mutant.at === at);
    const text = here[0]?.text ?? "";
    const ways = here.map(({ name, instead }) => `globalThis.mutant === ${JSON.stringify(name)} ? ${instead} : `);
    whole = `${whole.slice(0, at)}(${ways.join("")}${text})${whole.slice(at + text.length)}`;
  }
  return whole;
}

/** Checks whose absence the crawl cannot see, and what shows them. */
export const SHOWN_ELSEWHERE: Readonly<Record<string, string>> = {
  "people-invitations.handle-2": "the row is written for owners alone, by the statement that writes it",
  "members-as-owners": "whoever is not the speaker is refused by the line after it",
  "share-for-members": "opening a shared conversation is refused before this row is read",
  "admission-desk.#check": "the same person is judged again when the message's turn has come, see #admit",
  "admission-desk.#admit": "[W-62] the one before it judges whoever came too early",
  "conversation-desk.snapshot": "what the caller may do with cards is judged before it, and refuses",
  "conversation-home.constructor":
    "a subagent's owner is judged by its object, before anybody can ask: test/objects/child.workers.test.ts",
  "conversation-home.#maySpeakFor":
    "[W-28] a step's speaker is judged by the turn: test/objects/socket.workers.test.ts",
  "conversation-home.#barred":
    "whoever only listens is judged at the next frame to them: test/objects/socket.workers.test.ts",
  "fork-desk.fork-2": "[V-96] the first of its two judgements refuses",
  "inspect-desk.replay-2": "[V-97] the first of its two judgements refuses",
};

/** Files that have checks, below `src`. */
export const NAMED_FILES: readonly string[] = NAMED.map(({ file }) => file);

function nameAt(file: string, source: string, at: number): string {
  return `${file.replace(/^.*\/|\.ts$/g, "")}.${methodAt(source, at)}`;
}

/** The second of a name is called so, and so on. */
function numbered(mutants: readonly AuthorityMutant[]): readonly AuthorityMutant[] {
  const seen = new Map<string, number>();
  return mutants.map((mutant) => {
    const nth = (seen.get(mutant.name) ?? 0) + 1;
    seen.set(mutant.name, nth);
    return nth === 1 ? mutant : { ...mutant, name: `${mutant.name}-${nth}` };
  });
}

function methodAt(source: string, at: number): string {
  const before = [...source.slice(0, at + 1).matchAll(METHOD)].at(-1);
  return before?.groups?.["name"] ?? before?.groups?.["other"] ?? "top";
}
