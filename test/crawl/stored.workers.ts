import { env, runInDurableObject } from "cloudflare:test";
import { PrincipalObject } from "../../src/objects/principal/principal.ts";
import type { Scene } from "./scene.workers.ts";

/** Everything that is stored anywhere, and what the conversations were asked to write: to be compared. */
export async function storedEverywhere({
  private: own,
  room,
  quiet,
  missing,
  cast,
}: Scene): Promise<readonly string[]> {
  const writes = [own, room, quiet, missing].map(({ stage }) => [
    stage.counts.rows,
    stage.counts.alarms,
    stage.receiver.total,
  ]);
  const people = await Promise.all(
    [cast.anna, cast.mia, cast.olga, cast.bert, cast.ada].map(({ caller }) => ofPerson(caller.principalId)),
  );
  const { objects } = await env.FILES.list();
  return [
    ...(await tables()),
    ...people,
    `writes ${JSON.stringify(writes)}`,
    `files ${JSON.stringify(objects.map(({ key }) => key))}`,
  ];
}

/** The rows of the directory, a line for each table. */
async function tables(): Promise<readonly string[]> {
  const { results } = await env.DB.prepare(
    "select name from sqlite_master where type = 'table' and name not like '\\_cf%' escape '\\' and name not like 'd1\\_%' escape '\\'",
  ).all<{ name: string }>();
  const rows = await env.DB.batch(results.map(({ name }) => env.DB.prepare(`select * from "${name}"`)));
  return rows.map((table, at) => `${results[at]?.name} ${JSON.stringify(table.results)}`);
}

function ofPerson(principalId: string): Promise<string> {
  const object = env.PRINCIPAL.getByName(principalId);
  return runInDurableObject(object, (person, { storage }) => {
    if (!(person instanceof PrincipalObject)) throw new Error("PRINCIPAL holds objects of people");
    // What a turn before counted is written a moment later: that is no trace of what comes now.
    person.home.flush();
    const tables = ["purse", "notices", "seen"];
    return JSON.stringify(tables.map((table) => storage.sql.exec(`select * from ${table}`).toArray()));
  });
}
