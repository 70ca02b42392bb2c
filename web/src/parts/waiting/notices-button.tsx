import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { formatRelative } from "../../state/format.ts";
import { Icon } from "../icons.tsx";
import { PanelDialog } from "../panel-dialog.tsx";
import { useApp, useNow } from "../use-app.ts";

/** Opens the person's notices, and says how many are unread. */
export function NoticesButton(): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const unread = app.inbox.unread.value;
  const label = unread === 0 ? "Notices" : `Notices, ${unread} unread`;
  const close = () => {
    setOpen(false);
    void app.inbox.markRead();
  };
  return (
    <>
      <button
        type="button"
        class="icon-button notices-button"
        aria-label={label}
        title={label}
        onClick={() => setOpen(true)}
      >
        <Icon name="bell" size={18} />
        {unread === 0 ? null : (
          <span class="notices-count" aria-hidden="true">
            {unread > 99 ? "99+" : unread}
          </span>
        )}
      </button>
      {isOpen ? <NoticesDialog onClose={close} /> : null}
    </>
  );
}

/** The notices, newest first. Closing it marks them as read. */
function NoticesDialog({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const app = useApp();
  const now = useNow(30_000);
  const notices = app.inbox.notices.value;
  return (
    <PanelDialog title="Notices" onClose={onClose}>
      {notices.length === 0 ? <p class="quiet">There are none.</p> : null}
      <ul class="notices">
        {notices.map(({ id, at, text, link, read }) => (
          <li key={id} class={read ? "" : "unread"}>
            {read ? null : <span class="visually-hidden">New: </span>}
            {link === null ? <bdi>{text}</bdi> : <a href={link}>{text}</a>}
            <time class="quiet" dateTime={new Date(at).toISOString()}>
              {formatRelative(at, now)}
            </time>
          </li>
        ))}
      </ul>
    </PanelDialog>
  );
}
