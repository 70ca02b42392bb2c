import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeBackup } from "../../scripts/backup/make-backup.ts";
import { type Manifest, readManifest } from "../../scripts/backup/manifest.ts";
import { newerErasures } from "../../scripts/backup/newer-erasures.ts";
import { readFlags } from "../../scripts/backup/read-flags.ts";
import { restoreBackup } from "../../scripts/backup/restore-backup.ts";
import { migrationNames, SmallState } from "../kit/small-state.ts";

const MADE_AT = Date.UTC(2026, 10, 30);
const NOW = MADE_AT + 3_600_000;

let folder: string;
let state: SmallState;
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "althing-backup-"));
  state = SmallState.make(at("state"));
  state.person("p_ada", "owner");
  state.conversation("web:one");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const backUp = (to = "kept") => makeBackup(state.folder, at(to), new Date(MADE_AT));

async function restore(changes: Partial<Parameters<typeof restoreBackup>[0]> = {}) {
  const known = migrationNames();
  const order = { from: at("kept"), state: at("restored"), known, erased: [], now: NOW, ...changes };
  return { ...(await restoreBackup(order)), state: new SmallState(order.state) };
}

/** Runs a script on the state of a local deployment. */
function run(script: "backup" | "restore", args: readonly string[], more: Record<string, string> = {}) {
  const env = { PATH: process.env["PATH"], ALTHING_STATE: state.folder, ...more };
  const { status, stdout, stderr } = spawnSync(process.execPath, [`scripts/${script}.ts`, ...args], {
    env,
    encoding: "utf8",
  });
  return { status, said: (stdout + stderr).trim() };
}

const rows = (database: SmallState, sql: string) => database.directory((open) => open.prepare(sql).all());

describe("a backup", () => {
  it("[P-29] names every file with its size and SHA-256, last, and is for its owner's eyes", async () => {
    await backUp();
    const manifest = readManifest(at("kept"));
    const found = readdirSync(at("kept"), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(manifest.files).toHaveLength(found.length - 1);
    expect(manifest).toMatchObject({ version: "althing.backup.v1", kind: "state", migrations: migrationNames() });
    expect(statSync(at("kept")).mode & 0o777).toBe(0o700);
    expect(manifest.madeAt).toBe(new Date(MADE_AT).toISOString());
  });

  it("[P-34] is not made into a folder that holds something, or of nothing, or into what it is of", async () => {
    mkdirSync(at("kept"));
    writeFileSync(at("kept/mine.txt"), "mine");
    await expect(backUp()).rejects.toThrow(`${at("kept")} is not empty, and a backup never overwrites one: name a new`);
    expect(readdirSync(at("kept"))).toEqual(["mine.txt"]);
    await expect(makeBackup(at("nowhere"), at("other"), new Date())).rejects.toThrow("holds no deployment: npm start");
    await expect(backUp("state/kept")).rejects.toThrow("is what is backed up: name a folder outside of it");
    expect([existsSync(at("other")), existsSync(at("state/kept"))]).toEqual([false, false]);
  });

  it("[P-29] [P-34] leaves nothing when a database is damaged", async () => {
    const [path] = readdirSync(at("state/v3/do/althing-Conversation")).filter((name) => name !== "metadata.sqlite");
    writeFileSync(at(`state/v3/do/althing-Conversation/${path}`), "no database at all".repeat(1_000));
    await expect(backUp()).rejects.toThrow("not a database");
    expect(existsSync(at("kept"))).toBe(false);
  });
});

describe("a restore", () => {
  it("[P-31] marks each conversation and has them wake, one after the other", async () => {
    state.conversation("web:two");
    await backUp();
    const back = await restore();
    expect(back.conversations).toBe(2);
    for (const key of ["web:one", "web:two"]) {
      const control = back.state.object("Conversation", key, (database) => {
        return JSON.parse(String(database.prepare("SELECT body FROM control").get()?.["body"])) as object;
      });
      expect(control).toMatchObject({ restored: MADE_AT, alarmAt: null, facts: { key } });
    }
    const alarms = [...back.state.alarms("Conversation")].toSorted(([, one], [, other]) => one - other);
    expect(alarms.map(([, wake]) => wake)).toEqual([NOW, NOW + 50]);
    expect(new Set(alarms.map(([key]) => key))).toEqual(new Set(["web:one", "web:two"]));
  });

  it("[P-31] ends people's turns, and what they have set aside stays so", async () => {
    const wallet = { day: "2026-11-30", today: 5, month: 7, open: { k: { micros: 9, at: 1, day: "2026-11-30" } } };
    state.object("Principal", "p_ada", (database) => {
      database.exec("CREATE TABLE purse (id INTEGER PRIMARY KEY, body TEXT NOT NULL)");
      const body = { wallet, turns: { running: { "web:one/3": 1 }, minute: { since: 1, count: 1 } } };
      database.prepare("INSERT INTO purse VALUES (1, ?)").run(JSON.stringify(body));
    });
    await backUp();
    const back = await restore();
    const purse = back.state.object("Principal", "p_ada", (database) => {
      return JSON.parse(String(database.prepare("SELECT body FROM purse").get()?.["body"])) as object;
    });
    expect(purse).toEqual({ wallet, turns: { running: {}, minute: { since: 1, count: 1 } } });
  });

  it("[P-32] brings back no session, code, invitation or listed card", async () => {
    state.directory((database) => {
      database.exec(`
        INSERT INTO sessions (hash, principal_id, identity, created_at, last_seen_at) VALUES ('a', 'p_ada', 'test:p_ada', 1, 1);
        INSERT INTO sessions (hash, principal_id, identity, created_at, last_seen_at, expires_at) VALUES ('b', 'p_ada', 'test:p_ada', 1, 1, 2);
        INSERT INTO owner_codes (hash, created_at, expires_at) VALUES ('c', 1, 2);
        INSERT INTO link_codes (hash, identity, display, expires_at) VALUES ('d', 'test:x', 'x', 2);
        INSERT INTO invitations (id, hash, tier, created_by, created_at, expires_at) VALUES ('e', 'e', 'member', 'p_ada', 1, 2);
        INSERT INTO rate_windows (name, started_at, tries) VALUES ('f', 1, 2);
        INSERT INTO open_cards (conversation, hold, digest, tool, action, asked_at, deadline, min_tier, reader)
          VALUES ('web:one', 'h', 'd', 't', 'a', 1, 2, 'member', 'p_ada');`);
    });
    await backUp();
    const back = await restore();
    for (const table of ["sessions", "owner_codes", "link_codes", "invitations", "rate_windows", "open_cards"]) {
      expect(rows(back.state, `SELECT * FROM ${table}`), table).toEqual([]);
    }
    expect(rows(back.state, "SELECT id, tier FROM principals")).toEqual([{ id: "p_ada", tier: "owner" }]);
    expect(rows(back.state, "SELECT id FROM identities")).toEqual([{ id: "test:p_ada" }]);
  });

  it("[P-33] takes off the list what went between the two copies, and wakes what was not listed yet", async () => {
    state.list("web:gone");
    state.conversation("web:new", { isListed: false });
    await backUp();
    const back = await restore();
    const listed = rows(
      back.state,
      "SELECT key, title, deleted_at IS NOT NULL AS gone FROM conversations ORDER BY key",
    );
    expect(listed).toEqual([
      { key: "web:gone", title: "", gone: 1 },
      { key: "web:one", title: "a title", gone: 0 },
    ]);
    expect([...back.state.alarms("Conversation").keys()]).toContain("web:new");
  });

  it("[P-34] is refused where there is a deployment, and changes nothing of it", async () => {
    await backUp();
    SmallState.make(at("restored")).person("p_bert");
    await expect(restore()).rejects.toThrow(`${at("restored")} holds a deployment already`);
    await expect(restore()).rejects.toThrow("stop it and move that folder away, or restore into another one");
    expect(rows(new SmallState(at("restored")), "SELECT id FROM principals")).toEqual([{ id: "p_bert" }]);
  });

  const FAULTS: readonly (readonly [string, (kept: string) => void, RegExp])[] = [
    ["no manifest", (kept) => rmSync(join(kept, "manifest.json")), /holds no manifest\.json: it is no backup, or one/],
    ["a broken manifest", (kept) => writeFileSync(join(kept, "manifest.json"), "{"), /is no JSON object: .* damaged/],
    ["a manifest that is no object", (kept) => writeFileSync(join(kept, "manifest.json"), "1"), /is no JSON object/],
    [
      "another version",
      (kept) => change(kept, { version: "althing.backup.v2" as Manifest["version"] }),
      /of the version "althing\.backup\.v2", this code reads "althing\.backup\.v1": use the code that made it/,
    ],
    ["an unknown key", (kept) => change(kept, { more: 1 } as object), /was changed, take another backup: .*more/s],
    ["a path that leads out", (kept) => path(kept, "../out.sqlite"), /leads out of the backup/],
    ["a missing file", (kept) => rmSync(join(kept, directoryIn(kept))), /lacks .*0a\.sqlite: it is not whole/],
    [
      "a longer file",
      (kept) => writeFileSync(join(kept, directoryIn(kept)), "x", { flag: "a" }),
      /0a\.sqlite was changed since .* has \d+ bytes, not \d+/,
    ],
    ["a changed file", (kept) => flip(join(kept, directoryIn(kept))), /0a\.sqlite was changed since .*SHA-256/],
    [
      "a newer directory",
      (kept) => change(kept, { migrations: [...migrationNames(), "9999_later.sql"] }),
      /has the migration 9999_later\.sql, this code has not: use the code that made it, or newer/,
    ],
    [
      "another directory",
      (kept) => change(kept, { migrations: ["0001_other.sql"] }),
      /has the migration 0001_other\.sql, this code has 0001_directory\.sql in its place/,
    ],
    ["a backup over REST", (kept) => change(kept, { kind: "conversations" }), /bring them to a deployment with --url/],
  ];

  it.each(FAULTS)("[P-34] is refused with %s, and nothing is written", async (_name, damage, words) => {
    await backUp();
    damage(at("kept"));
    await expect(restore()).rejects.toThrow(words);
    expect(existsSync(at("restored")) ? readdirSync(at("restored")) : []).toEqual([]);
  });

  it("[P-34] of an older directory is taken: npm start brings it up to date", async () => {
    state.directory((database) => {
      database.exec("DROP TABLE former_ids; DROP TABLE erasures; ALTER TABLE principals DROP COLUMN erased_at");
      database.exec("DELETE FROM d1_migrations WHERE name >= '0008'");
    });
    await backUp();
    const back = await restore();
    expect(back.manifest.migrations).toEqual(migrationNames().filter((name) => name < "0008"));
    const erased = [{ person: "p_ada", by: "p_bert", at: 1 }];
    await expect(restore({ state: at("other"), erased })).rejects.toThrow("older than erasing people is");
  });

  it("[P-34] that broke off leaves nothing that counts, and is made again", async () => {
    await backUp();
    mkdirSync(at("restored/restoring/v3/d1/x"), { recursive: true });
    writeFileSync(at("restored/restoring/v3/d1/x/half.sqlite"), "half");
    await restore();
    expect(readdirSync(at("restored"))).toEqual(["v3"]);
  });
});

describe("people who were erased", () => {
  const ERASED = { person: "p_bert", by: "p_ada", at: MADE_AT + 1 };
  const jobOf = (back: SmallState) =>
    back.object("Principal", "p_bert", (database) => {
      const row = database.prepare("SELECT body FROM erasure").get();
      return row && (JSON.parse(String(row["body"])) as { readonly order: object; readonly phase: string });
    });

  it("[P-35] since are shut out, and their objects are to forget them", async () => {
    state.person("p_bert");
    state.conversation("web:his", { owner: "p_bert" });
    await backUp();
    const back = await restore({ erased: [ERASED, { ...ERASED, person: "p_unknown" }] });
    expect(back.erased).toEqual(["p_bert"]);
    expect(rows(back.state, "SELECT * FROM identities WHERE principal_id = 'p_bert'")).toEqual([]);
    expect(rows(back.state, "SELECT name, tier, erased_at, disabled_at FROM principals WHERE id = 'p_bert'")).toEqual([
      { name: "", tier: "guest", erased_at: NOW, disabled_at: NOW },
    ]);
    const [audit] = rows(back.state, "SELECT id, actor, action, target FROM people_audit");
    expect(audit).toMatchObject({ actor: "p_ada", action: "erase", target: "p_bert" });
    expect(rows(back.state, "SELECT ordered_by, begun_at, finished_at FROM erasures")).toEqual([
      { ordered_by: "p_ada", begun_at: ERASED.at, finished_at: null },
    ]);
    const order = { id: audit?.["id"], person: "p_bert", by: "p_ada" };
    expect(jobOf(back.state)).toMatchObject({ phase: "shut", round: 1, due: NOW, order });
    expect(back.state.alarms("Principal")).toEqual(new Map([["p_bert", NOW]]));
  });

  it("[P-35] are known from the backups beside it, and from one that is named", async () => {
    await backUp();
    await backUp("newer");
    change(at("newer"), { erased: [ERASED] });
    mkdirSync(at("elsewhere"));
    cpSync(at("newer"), at("elsewhere/third"), { recursive: true });
    change(at("elsewhere/third"), { erased: [{ ...ERASED, person: "p_carla" }] });
    expect(newerErasures(at("kept"), undefined)).toEqual([ERASED]);
    expect(newerErasures(at("kept"), at("elsewhere/third")).map(({ person }) => person)).toEqual(["p_bert", "p_carla"]);
    expect(() => newerErasures(at("kept"), at("state"))).toThrow("holds no manifest.json");
    writeFileSync(at("newer/manifest.json"), "{");
    expect(() => newerErasures(at("kept"), undefined)).toThrow("may know who was erased: mend it, or move it away");
    expect(newerErasures(at("no-backup/kept"), undefined)).toEqual([]);
  });

  it("[P-35] before are in the manifest, and an erasure that was under way begins anew", async () => {
    state.person("p_bert");
    state.directory((database) => {
      database.exec(`
        UPDATE principals SET erased_at = 5 WHERE id = 'p_bert';
        INSERT INTO people_audit (id, at, actor, action, target, detail) VALUES ('a1', 5, 'p_ada', 'erase', 'p_bert', '{}');
        INSERT INTO erasures (person, ordered_by, begun_at, receipt) VALUES ('p_bert', 'p_ada', 5, '[]');`);
    });
    const job = {
      order: { id: "a1", person: "p_bert", by: "p_ada", tier: "owner", found: [] },
      phase: "shared",
      round: 2,
    };
    state.object("Principal", "p_bert", (database) => {
      database.exec("CREATE TABLE erasure (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT");
      database.prepare("INSERT INTO erasure VALUES (1, ?)").run(JSON.stringify(job));
    });
    const { erased } = await backUp();
    expect(erased).toEqual([{ person: "p_bert", by: "p_ada", at: 5 }]);
    const back = await restore({ erased });
    expect(back.erased, "nobody has to be shut out again").toEqual([]);
    expect(jobOf(back.state)).toMatchObject({ order: job.order, phase: "shut", round: 1, due: NOW });
    expect(back.state.alarms("Principal")).toEqual(new Map([["p_bert", NOW]]));
  });
});

describe("two people who became one", () => {
  const become = (former: string, survivor: string) =>
    state.directory((database) => {
      const insert =
        "INSERT INTO former_ids (former, survivor, tier, merged_at, ordered_by) VALUES (?, ?, 'member', 1, 'p_ada')";
      database.prepare(insert).run(former, survivor);
    });
  const isErased = (back: SmallState) =>
    rows(back, "SELECT id FROM principals WHERE erased_at IS NOT NULL ORDER BY id").map(({ id }) => id);
  const withJobs = (back: SmallState) => [...back.alarms("Principal").keys()].toSorted();

  it("[P-35] are erased by each of their ids, whether the backup knows that they are one or not", async () => {
    for (const name of ["p_bert", "p_carla"]) state.person(name);
    await backUp("apart");
    become("p_bert", "p_carla");
    await backUp("one");
    state.directory((database) => {
      database.exec(
        "INSERT INTO erasures (person, ordered_by, begun_at, receipt) VALUES ('p_carla', 'p_ada', 5, '[]')",
      );
    });
    const { erased } = await backUp("gone");
    expect(erased.map(({ person }) => person)).toEqual(["p_bert", "p_carla"]);
    const apart = await restore({ from: at("apart"), erased });
    expect([isErased(apart.state), withJobs(apart.state)]).toEqual([
      ["p_bert", "p_carla"],
      ["p_bert", "p_carla"],
    ]);
    const one = await restore({ from: at("one"), state: at("other"), erased });
    expect([isErased(one.state), withJobs(one.state)]).toEqual([["p_bert", "p_carla"], ["p_carla"]]);
  });

  it("[P-33] after the directory was copied become so from the start; what is done stays done", async () => {
    const merge = (name: string, phase: string) =>
      state.object("Principal", name, (database) => {
        database.exec("CREATE TABLE merge (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT");
        const job = {
          order: { id: "m", person: name, into: "p_ada", by: "p_ada" },
          phase,
          after: "web:x",
          failures: 2,
          due: 1,
        };
        database.prepare("INSERT INTO merge VALUES (1, ?)").run(JSON.stringify(job));
      });
    for (const name of ["p_bert", "p_carla", "p_dora"]) state.person(name);
    merge("p_bert", "rooms");
    merge("p_carla", "done");
    merge("p_dora", "done");
    become("p_dora", "p_ada");
    await backUp();
    const back = await restore();
    const phaseOf = (name: string) =>
      back.state.object("Principal", name, (database) => {
        return JSON.parse(String(database.prepare("SELECT body FROM merge").get()?.["body"])) as object;
      });
    for (const name of ["p_bert", "p_carla"]) {
      expect(phaseOf(name), name).toMatchObject({ phase: "write", after: "", failures: 0, due: NOW });
    }
    expect(phaseOf("p_dora")).toMatchObject({ phase: "done", due: 1 });
    expect(withJobs(back.state)).toEqual(["p_bert", "p_carla"]);
  });

  it("[P-35] an erasure that the directory had not heard of when it was copied is not forgotten", async () => {
    state.person("p_bert");
    const job = { order: { id: "a1", person: "p_bert", by: "p_ada", tier: "owner", found: [] }, phase: "private" };
    state.object("Principal", "p_bert", (database) => {
      database.exec("CREATE TABLE erasure (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL) STRICT");
      database.prepare("INSERT INTO erasure VALUES (1, ?)").run(JSON.stringify(job));
    });
    await backUp();
    const back = await restore();
    expect([back.erased, isErased(back.state), withJobs(back.state)]).toEqual([["p_bert"], ["p_bert"], ["p_bert"]]);
    expect(rows(back.state, "SELECT id FROM people_audit")).toEqual([{ id: "a1" }]);
  });
});

describe("the commands", () => {
  it("[P-29] [P-30] say what they did and what is not in it", () => {
    const made = run("backup", ["--to", at("kept")]);
    expect(made, made.said).toMatchObject({
      status: 0,
      said: expect.stringContaining("Not in it: the keys in .dev.vars"),
    });
    const back = run("restore", [`--from=${at("kept")}`], { ALTHING_STATE: at("restored") });
    expect(back, back.said).toMatchObject({ status: 0, said: expect.stringContaining("1 conversations, as of") });
    expect(back.said).toContain("Nobody is known to have been erased since");
  });

  it.each([
    ["backup", ["--too", "x"], "--too is no flag of this command: did you mean --to?"],
    ["restore", [], "Name the folder of the backup: npm run restore -- --from <folder>"],
  ] as const)("[P-34] npm run %s refuses %j", (script, args, words) => {
    expect(run(script, args)).toEqual({ status: 1, said: words });
  });

  it("[P-34] a flag is known and has one value", () => {
    const known = ["to", "url"] as const;
    expect(() => readFlags(["--ulr", "x"], known)).toThrow("--ulr is no flag of this command: did you mean --url?");
    expect(() => readFlags(["--quietly"], known)).toThrow(
      "--quietly is no flag of this command: there are --to, --url.",
    );
    expect(() => readFlags(["kept"], known)).toThrow("kept is no flag of this command: there are --to, --url.");
    expect(readFlags(["--to", "a", "--url=b=c"], known)).toEqual({ to: "a", url: "b=c" });
    expect(() => readFlags(["--to"], known)).toThrow("--to has no value: --to <value>.");
    expect(() => readFlags(["--to", "--url"], known)).toThrow("--to has no value");
    expect(() => readFlags(["--to="], known)).toThrow("--to has no value");
    expect(() => readFlags(["--to", "a", "--to", "b"], known)).toThrow("--to is given twice");
  });
});

function change(kept: string, changes: Partial<Manifest>): void {
  const file = join(kept, "manifest.json");
  writeFileSync(file, JSON.stringify({ ...(JSON.parse(readFileSync(file, "utf8")) as Manifest), ...changes }));
}

function path(kept: string, to: string): void {
  const { files } = readManifest(kept);
  change(kept, { files: files.map((file, n) => (n === 0 ? { ...file, path: to } : file)) });
}

function directoryIn(kept: string): string {
  return readManifest(kept).files.find(({ path: name }) => name.endsWith("0a.sqlite"))?.path ?? "";
}

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  writeFileSync(file, bytes);
}
