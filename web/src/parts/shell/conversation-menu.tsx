import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { unreachable } from "../../../../src/lib/assert.ts";
import type { ConversationSummary } from "../../../../src/protocol/rest.ts";
import type { Chat } from "../../app/chat.ts";
import { exportPath } from "../../net/rest.ts";
import { hasChoice } from "../../state/personas.ts";
import { PolicyDialog } from "../cards/policy-dialog.tsx";
import { PersonaDialog } from "../composer/persona-dialog.tsx";
import { usePersona } from "../composer/persona-select.tsx";
import { ToolsDialog } from "../composer/tools-dialog.tsx";
import { Icon } from "../icons.tsx";
import { Menu, MenuItem, MenuLink } from "../menu.tsx";
import { MembersDialog } from "../people/members-dialog.tsx";
import { PinnedItems } from "../transcript/pinned-items.tsx";
import { useApp } from "../use-app.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";

interface ConversationMenuProps {
  readonly summary: Pick<ConversationSummary, "id" | "title" | "visibility">;
  readonly className?: string;
  /** Set for the open conversation: it can be worked with, not only filed. */
  readonly chat?: Chat;
}

type MenuDialog = "rename" | "delete" | "tools" | "members" | "rules" | "persona";

/** What can be done with a conversation: rename, export, delete; with the open one also what concerns its content. */
export function ConversationMenu({ summary, className = "", chat }: ConversationMenuProps): JSX.Element {
  const [dialog, setDialog] = useState<MenuDialog | undefined>(undefined);
  const name = summary.title === "" ? "this conversation" : summary.title;
  const isShared = summary.visibility === "shared";
  const isRuler = !isShared || useApp().me.value?.principal.tier === "owner";
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu label={`Options for ${name}`} face={<Icon name="more" />} faceClass={`icon-button ${className}`}>
        {chat === undefined ? null : <OwnItems chat={chat} isRuler={isRuler} onDialog={setDialog} />}
        {isShared ? (
          <MenuItem icon="people" onPick={() => setDialog("members")}>
            Members
          </MenuItem>
        ) : null}
        {isRuler ? (
          <MenuItem icon="pencil" onPick={() => setDialog("rename")}>
            Rename
          </MenuItem>
        ) : null}
        <MenuLink icon="download" href={exportPath(summary.id, "markdown")}>
          Export as Markdown
        </MenuLink>
        <MenuLink icon="download" href={exportPath(summary.id, "json")}>
          Export as JSON
        </MenuLink>
        <MenuLink icon="download" href={exportPath(summary.id, "ndjson")}>
          Export to import elsewhere
        </MenuLink>
        {isRuler ? (
          <MenuItem icon="trash" isDangerous onPick={() => setDialog("delete")}>
            Delete
          </MenuItem>
        ) : null}
      </Menu>
      {dialog === undefined ? null : <Opened dialog={dialog} summary={summary} chat={chat} onClose={close} />}
    </>
  );
}

interface OpenedProps extends Pick<ConversationMenuProps, "summary"> {
  readonly dialog: MenuDialog;
  readonly chat: Chat | undefined;
  readonly onClose: () => void;
}

/** The dialog that was chosen. */
function Opened({ dialog, summary, chat, onClose }: OpenedProps): JSX.Element | null {
  switch (dialog) {
    case "members":
      return <MembersDialog id={summary.id} onClose={onClose} />;
    case "rename":
      return <RenameDialog summary={summary} onClose={onClose} />;
    case "delete":
      return <DeleteDialog summary={summary} onClose={onClose} />;
    case "tools":
      return chat ? <ToolsDialog chat={chat} onClose={onClose} /> : null;
    case "rules":
      return chat ? <PolicyDialog chat={chat} onClose={onClose} /> : null;
    case "persona":
      return chat ? <PersonaDialog chat={chat} onClose={onClose} /> : null;
    default:
      return unreachable(dialog);
  }
}

interface OwnItemsProps {
  readonly chat: Chat;
  /** The person may change what everybody here shares. */
  readonly isRuler: boolean;
  readonly onDialog: (dialog: MenuDialog) => void;
}

function OwnItems({ chat, isRuler, onDialog }: OwnItemsProps): JSX.Element {
  const persona = usePersona(chat);
  return (
    <>
      <PinnedItems chat={chat} />
      {isRuler ? (
        <div class="menu-group">
          <MenuItem icon="tools" onPick={() => onDialog("tools")}>
            Tools
          </MenuItem>
          <MenuItem icon="shield" onPick={() => onDialog("rules")}>
            Rules
          </MenuItem>
          {persona !== undefined && hasChoice(persona) ? (
            <MenuItem icon="user" onPick={() => onDialog("persona")}>
              Who answers
            </MenuItem>
          ) : null}
          <MenuItem icon="fold" onPick={() => void chat.history.compact()}>
            Summarise older messages now
          </MenuItem>
          <MenuItem icon="fresh" onPick={() => void chat.history.startAfresh()}>
            Start afresh here
          </MenuItem>
        </div>
      ) : null}
    </>
  );
}
