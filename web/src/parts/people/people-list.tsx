import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ok, type Result } from "../../../../src/lib/result.ts";
import type { Person } from "../../../../src/protocol/people.ts";
import type { PeopleRest } from "../../net/people-rest.ts";
import type { Refused, Reply } from "../../net/rest.ts";
import { Problem } from "../problem.tsx";
import { usePages } from "../use-pages.ts";
import { PersonRow } from "./person-row.tsx";

/** Everybody who was ever admitted. A change shows what the server says afterwards, also when it was refused. */
export function PeopleList({ rest }: { readonly rest: PeopleRest }): JSX.Element {
  const pages = usePages<Person>(async (after) => {
    const reply = await rest.people(after);
    return reply.ok ? ok({ items: reply.value.people, next: reply.value.next }) : reply;
  });
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const [news, setNews] = useState("");
  const change = async (asked: Reply<unknown>, done: string): Promise<void> => {
    const reply: Result<unknown, Refused> = await asked;
    await pages.reload();
    setProblem(reply.ok ? undefined : reply.error.message);
    setNews(reply.ok ? done : "");
  };
  const present = (pages.items ?? []).filter(
    ({ disabledAt, erasedAt }) => disabledAt === undefined && erasedAt === undefined,
  );
  const trouble = problem ?? pages.problem;
  return (
    <>
      <p class="news" role="status">
        {news}
      </p>
      <Problem words={trouble} />
      {pages.items === undefined && pages.problem === undefined ? <p class="quiet">Loading…</p> : null}
      <ul class="people" aria-label="People">
        {(pages.items ?? []).map((person) => (
          <PersonRow
            key={person.id}
            person={person}
            others={present.filter(({ id }) => id !== person.id)}
            rest={rest}
            onChange={change}
            onLookAgain={() => void pages.reload()}
          />
        ))}
      </ul>
      {pages.hasMore ? (
        <button type="button" class="text-button" onClick={() => void pages.more()}>
          Show more people
        </button>
      ) : null}
    </>
  );
}
