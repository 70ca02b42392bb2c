import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { spendingWords } from "../../state/spending-words.ts";
import { useApp } from "../use-app.ts";

/** What the person spent, and for owners what everybody did. Asked for when it is shown. */
export function SpendingNote(): JSX.Element | null {
  const app = useApp();
  const [words, setWords] = useState<readonly string[]>([]);
  const isOwner = app.me.value?.principal.tier === "owner";
  useEffect(() => {
    const { rest } = app.ports;
    void Promise.all([rest.spending(), ...(isOwner ? [rest.allSpending()] : [])]).then(([own, all]) => {
      setWords([
        ...(own?.ok ? [spendingWords("You", own.value)] : []),
        ...(all?.ok ? [spendingWords("Everybody", all.value)] : []),
      ]);
    });
  }, [isOwner]);
  if (words.length === 0) return null;
  return (
    <div class="menu-note">
      {words.map((line) => (
        <p key={line}>{line}</p>
      ))}
    </div>
  );
}
