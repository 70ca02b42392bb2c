import { randomFillSync } from "node:crypto";
import { hashCode, newCode } from "../../src/auth/code.ts";
import { AppServer } from "../kit/app-server/app-server.ts";
import { freePort } from "../kit/app-server/free-port.ts";
import { OidcServer } from "../kit/oidc-server.ts";
import { buildPage } from "./built-page.ts";

/** The whole deployment with the built page, and two real OpenID providers to sign in with. */
export interface PeopleWorld {
  readonly url: string;
  readonly home: OidcServer;
  readonly work: OidcServer;
  /** A fresh one-time code of the owner. */
  newCode(): Promise<string>;
  /** A code for an identity, as another surface shows it. */
  linkCode(identity: string, display: string): Promise<string>;
  /** People who have never signed in. */
  addPeople(count: number, name: string): Promise<void>;
  sql: AppServer["sql"];
  close(): Promise<void>;
}

export async function makePeopleWorld(): Promise<PeopleWorld> {
  const port = await freePort();
  const callback = (name: string) => `http://127.0.0.1:${port}/auth/${name}/callback`;
  const [assets, home, work] = await Promise.all([
    buildPage(),
    OidcServer.start(callback("home")),
    OidcServer.start(callback("work")),
  ]);
  const from = ({ issuer, client }: OidcServer, label: string) => {
    return { kind: "oidc" as const, issuer, clientId: client.clientId, secretFrom: "OIDC_SECRET", label };
  };
  const server = await AppServer.prepare({
    port,
    assets,
    config: {
      signIn: { home: from(home, "Home"), work: from(work, "Work") },
      people: { provisioning: "invite" },
    },
    secrets: { OIDC_SECRET: home.client.clientSecret },
  });
  await server.start();
  return {
    url: server.url,
    home,
    work,
    newCode: () => server.ownerCode(),
    async linkCode(identity, display) {
      const code = newCode(40, (bytes) => randomFillSync(bytes));
      await server.sql(
        "INSERT OR REPLACE INTO link_codes (hash, identity, display, expires_at) VALUES (?, ?, ?, ?)",
        await hashCode(code),
        identity,
        display,
        Date.now() + 600_000,
      );
      return code;
    },
    async addPeople(count, name) {
      await server.sql(
        `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO principals (id, name, tier, created_at) SELECT 'p_zz' || printf('%04d', i), ? || ' ' || i, 'guest', 0 FROM n`,
        count,
        name,
      );
    },
    sql: (text, ...bindings) => server.sql(text, ...bindings),
    close: async () => {
      await Promise.all([server.remove(), home.stop(), work.stop()]);
    },
  };
}
