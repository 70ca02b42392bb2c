import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ConversationSummary } from "../../../src/protocol/rest.ts";
import { exportPath } from "../net/rest.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { Icon } from "./icons.tsx";
import { Menu, MenuItem, MenuLink } from "./menu.tsx";
import { RenameDialog } from "./rename-dialog.tsx";

interface ConversationMenuProps {
  readonly summary: Pick<ConversationSummary, "id" | "title">;
  readonly className?: string;
}

/** What can be done with a conversation: rename, export, delete. */
export function ConversationMenu({ summary, className = "" }: ConversationMenuProps): JSX.Element {
  const [dialog, setDialog] = useState<"rename" | "delete" | undefined>(undefined);
  const name = summary.title === "" ? "this conversation" : summary.title;
  const close = () => setDialog(undefined);
  return (
    <>
      <Menu label={`Options for ${name}`} face={<Icon name="more" />} faceClass={`icon-button ${className}`}>
        <MenuItem icon="pencil" onPick={() => setDialog("rename")}>
          Rename
        </MenuItem>
        <MenuLink icon="download" href={exportPath(summary.id, "markdown")}>
          Export as Markdown
        </MenuLink>
        <MenuLink icon="download" href={exportPath(summary.id, "json")}>
          Export as JSON
        </MenuLink>
        <MenuItem icon="trash" isDangerous onPick={() => setDialog("delete")}>
          Delete
        </MenuItem>
      </Menu>
      {dialog === "rename" ? <RenameDialog summary={summary} onClose={close} /> : null}
      {dialog === "delete" ? <DeleteDialog summary={summary} onClose={close} /> : null}
    </>
  );
}
