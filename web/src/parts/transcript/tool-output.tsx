import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ViewEntry } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { formatCount } from "../../state/format.ts";
import { filesOf, textOf } from "../../state/rows.ts";
import { Problem } from "../problem.tsx";
import { FileList } from "./file-list.tsx";

/** What a tool gave back. Cut output can be fetched whole. */
export function ToolOutput({ entry, chat }: { readonly entry: ViewEntry; readonly chat: Chat }): JSX.Element {
  const [whole, setWhole] = useState<ViewEntry | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const shown = whole ?? entry;
  const text = textOf(shown);
  const isCut = whole === undefined && entry.cut !== undefined;
  const showAll = async (): Promise<void> => {
    const reply = await chat.wholeEntry(entry.id);
    if (reply.ok) setWhole(reply.value);
    else setProblem(reply.error.message);
  };
  return (
    <>
      <h3>Output</h3>
      <pre tabIndex={0}>{text === "" ? "(nothing)" : text}</pre>
      <FileList files={filesOf(shown)} conversation={chat.id} />
      {isCut ? (
        <p class="cut">
          Showing {formatCount(text.length)} of {formatCount(entry.cut ?? 0)} characters.{" "}
          <button type="button" class="text-button" onClick={() => void showAll()}>
            Show all
          </button>
        </p>
      ) : null}
      <Problem words={problem} />
    </>
  );
}
