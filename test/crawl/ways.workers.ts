import { type EdgeRequest, LOCAL, type Visitor } from "../kit/edge.ts";
import type { Door } from "./doors.workers.ts";
import type { Cast, PlaceName } from "./scene.workers.ts";

/** How somebody comes to a door, and what they are told there. */
export interface Way {
  readonly name: string;
  readonly with: Pick<EdgeRequest, "as" | "origin" | "headers">;
  /** In place of the deployment's own address. */
  readonly base?: string;
  readonly status: number;
  readonly code: string;
}

const PORT = Number(new URL(LOCAL).port);

/** People who may not enter at all, and credentials that are nobody's. */
export function gates(cast: Cast): readonly Way[] {
  const bearer = (authorization: string) => ({ headers: { authorization } });
  const by = (name: string, who: Way["with"], status: number, code: string): Way => ({ name, with: who, status, code });
  const nobody = { ...cast.bert, cookie: `althing_dev=${"f".repeat(64)}` };
  return [
    by("nobody", {}, 401, "unauthenticated"),
    by("an invented session", { as: nobody }, 401, "unauthenticated"),
    by("a revoked session", { as: cast.revoked }, 401, "unauthenticated"),
    by("a session that has ended", { as: cast.expired }, 401, "unauthenticated"),
    by("an unlinked identity", { as: cast.unlinked }, 403, "forbidden"),
    by("somebody who is switched off", { as: cast.disabled }, 403, "forbidden"),
    by("a guest", { as: cast.guest }, 403, "forbidden"),
    by("a guest's token", bearer(`Bearer ${cast.guestToken}`), 403, "forbidden"),
    by("a forged token", bearer(`Bearer ${cast.forgedToken}`), 401, "unauthenticated"),
    by("two tokens", bearer(`Bearer ${cast.token}, Bearer ${cast.token}`), 401, "unauthenticated"),
  ];
}

/** What another site or another name makes of somebody who may come in. */
export function guards(
  { token }: Cast,
  right: Visitor | undefined,
  { needsOrigin, isRead }: { readonly needsOrigin: boolean; readonly isRead: boolean },
): readonly Way[] {
  const as = right === undefined ? {} : { as: right };
  const foreign = [
    "null",
    "https://evil.net",
    `${LOCAL}.evil.net`,
    `http://127.0.0.1:${PORT + 1}`,
    `https://127.0.0.1:${PORT}`,
  ];
  const origins = [...foreign, ...(needsOrigin ? [null] : [])];
  const hosts: readonly (readonly [string, Record<string, string>])[] = [
    [`http://evil.net:${PORT}`, {}],
    [`http://127.0.0.1.evil.net:${PORT}`, {}],
    [`http://127.0.0.1:${PORT + 1}`, {}],
    [LOCAL, { host: "evil.net" }],
    [`http://evil.net:${PORT}`, { host: new URL(LOCAL).host }],
  ];
  const plain = "http://chat.example.com";
  return [
    ...(needsOrigin && !isRead
      ? [{ name: "plain http elsewhere", with: { ...as, origin: plain }, base: plain, status: 403, code: "forbidden" }]
      : []),
    ...origins.map((origin) => ({
      name: `Origin ${origin ?? "left out"}`,
      with: { ...as, origin },
      status: 403,
      code: "forbidden",
    })),
    ...hosts.map(([base, headers]) => ({
      name: `Host ${headers["host"] ?? new URL(base).host}`,
      with: { ...as, headers, origin: base },
      base,
      status: 421,
      code: "forbidden",
    })),
    ...(right === undefined
      ? []
      : [
          {
            name: "a cookie and a token at once",
            with: { ...as, headers: { authorization: `Bearer ${token}` } },
            status: 400,
            code: "bad_request",
          },
        ]),
  ];
}

const HIDDEN = { status: 404, code: "not_found" } as const;
const REFUSED = { status: 403, code: "forbidden" } as const;

/** People who may be here, and not do this. @param place where; a conversation that is not there is hidden from everybody. */
export function strangers(cast: Cast, { for: audience }: Pick<Door, "for">, place: PlaceName): readonly Way[] {
  const { anna, olga, mia, max, fritz, bert, ada, token } = cast;
  const people = (told: { readonly status: number; readonly code: string }, who: Readonly<Record<string, Visitor>>) =>
    Object.entries(who).map(([name, as]) => ({ name, with: { as }, ...told }));
  const bearer = (told: { readonly status: number; readonly code: string }): Way => ({
    name: "a member's token",
    with: { headers: { authorization: `Bearer ${token}` } },
    ...told,
  });
  switch (audience) {
    case "anybody":
    case "people":
      return [];
    case "admins":
      return [...people(REFUSED, { member: bert }), bearer(REFUSED)];
    case "owners":
      return [...people(REFUSED, { member: bert, admin: ada }), bearer(REFUSED)];
    default: {
      const others = { "another member": bert, "a former member": fritz, "an admin": ada };
      if (place !== "room")
        return [...people(HIDDEN, { ...others, "an owner": olga, "somebody of the room": mia }), bearer(HIDDEN)];
      const outside = [...people(HIDDEN, { ...others, "somebody with a conversation": anna }), bearer(HIDDEN)];
      if (audience === "members") return outside;
      return [
        ...outside,
        ...people(REFUSED, { "another of the room": max, ...(audience !== "speaker" && { "one of the room": mia }) }),
      ];
    }
  }
}

/** Somebody who comes in. */
export function rightful(cast: Cast, { for: audience }: Pick<Door, "for">, place: PlaceName): Visitor | undefined {
  switch (audience) {
    case "anybody":
      return undefined;
    case "people":
      return cast.bert;
    case "admins":
      return cast.ada;
    case "owners":
      return cast.olga;
    default:
      if (place === "private") return cast.anna;
      return audience === "room owners" ? cast.olga : cast.mia;
  }
}
