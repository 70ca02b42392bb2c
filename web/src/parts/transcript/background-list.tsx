import type { JSX } from "preact";
import type { Chat } from "../../app/chat.ts";
import { backgroundTasks } from "../../state/background.ts";

/** What runs beside the conversation, quietly above the field. */
export function BackgroundList({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const view = chat.transcript.view.value;
  const tasks = view === undefined ? [] : backgroundTasks(view);
  if (tasks.length === 0) return null;
  return (
    <ul class="background" aria-label="In the background">
      {tasks.map((task) => (
        <li key={task.id}>
          <span class="dot" />
          <span class="background-words">
            {task.name === "" ? null : <b>{task.name} </b>}
            <bdi>{task.words}</bdi>
          </span>
          {task.isStopping ? null : (
            <button type="button" class="text-button" onClick={() => void chat.history.stopTask(task.id)}>
              Stop<span class="visually-hidden"> {task.name === "" ? "summarising" : task.name}</span>
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
