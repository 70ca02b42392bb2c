import type { JSX } from "preact";
import { Icon } from "../icons.tsx";
import { useApp } from "../use-app.ts";

/** Sentences above the composer. Problems stay until they are closed. */
export function NoticeList(): JSX.Element {
  const { notices } = useApp();
  return (
    <div class="notices" role="status">
      {notices.shown.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.kind}`}>
          <span>{notice.text}</span>
          <button
            type="button"
            class="icon-button"
            aria-label="Close this message"
            onClick={() => notices.close(notice.id)}
          >
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
