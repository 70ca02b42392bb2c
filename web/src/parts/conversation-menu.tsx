import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConversationSummary } from "../../../src/protocol/rest.ts";
import type { Chat } from "../app/chat.ts";
import { exportPath } from "../net/rest.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { Icon } from "./icons.tsx";
import { MembersDialog } from "./members-dialog.tsx";
import { Menu, MenuItem, MenuLink } from "./menu.tsx";
import { PinnedItems } from "./pinned-items.tsx";
import { PolicyDialog } from "./policy-dialog.tsx";
import { RenameDialog } from "./rename-dialog.tsx";
import { ToolsDialog } from "./tools-dialog.tsx";
import { useApp } from "./use-app.ts";

interface ConversationMenuProps {
  readonly summary: Pick<ConversationSummary, "id" | "title" | "visibility">;
  readonly className?: string;
  /** Set for the open conversation: it can be worked with, not only filed. */
  readonly chat?: Chat;
}

/** What can be done with a conversation: rename, export, delete; with the open one also what concerns its content. */
export function ConversationMenu({ summary, className = "", chat }: ConversationMenuProps): JSX.Element {
  const [dialog, setDialog] = useState<"rename" | "delete" | "tools" | "members" | "rules" | undefined>(undefined);
  const name = summary.title === "" ? "this conversation" : summary.title;
  const isShared = summary.visibility === "shared";
  const tier = useApp().me.value?.principal.tier;
  const isRuler = !isShared || tier === "owner";
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu label={`Options for ${name}`} face={<Icon name="more" />} faceClass={`icon-button ${className}`}>
        {chat === undefined ? null : (
          <OwnItems
            chat={chat}
            isRuler={isRuler}
            onTools={() => setDialog("tools")}
            onRules={() => setDialog("rules")}
          />
        )}
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
        {isRuler ? (
          <MenuItem icon="trash" isDangerous onPick={() => setDialog("delete")}>
            Delete
          </MenuItem>
        ) : null}
      </Menu>
      {dialog === "members" ? <MembersDialog id={summary.id} onClose={close} /> : null}
      {dialog === "rename" ? <RenameDialog summary={summary} onClose={close} /> : null}
      {dialog === "tools" && chat !== undefined ? <ToolsDialog chat={chat} onClose={close} /> : null}
      {dialog === "rules" && chat !== undefined ? <PolicyDialog chat={chat} onClose={close} /> : null}
      {dialog === "delete" ? <DeleteDialog summary={summary} onClose={close} /> : null}
    </>
  );
}

interface OwnItemsProps {
  readonly chat: Chat;
  /** The person may change what everybody here shares. */
  readonly isRuler: boolean;
  readonly onTools: () => void;
  readonly onRules: () => void;
}

function OwnItems({ chat, isRuler, onTools, onRules }: OwnItemsProps): JSX.Element {
  return (
    <>
      <PinnedItems chat={chat} />
      {isRuler ? (
        <div class="menu-group">
          <MenuItem icon="tools" onPick={onTools}>
            Tools
          </MenuItem>
          <MenuItem icon="shield" onPick={onRules}>
            Rules
          </MenuItem>
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
