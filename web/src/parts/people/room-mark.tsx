import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Chat } from "../../app/chat.ts";
import { describeMembers, roomOf } from "../../state/room.ts";
import { Icon } from "../icons.tsx";
import { MembersDialog } from "./members-dialog.tsx";

/** That a conversation is shared, and with how many; leads to who they are. Nothing for a private one. */
export function RoomMark({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const room = roomOf(chat.transcript.view.value);
  if (room === undefined) return null;
  const words = describeMembers(room);
  return (
    <>
      <button
        type="button"
        class="room-mark"
        aria-label={`Shared conversation, ${words}`}
        title={words}
        onClick={() => setOpen(true)}
      >
        <Icon name="people" size={18} />
        {room.members.length}
      </button>
      {isOpen ? <MembersDialog id={chat.id} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
