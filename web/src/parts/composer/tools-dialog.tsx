import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ChatView } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { chatOf } from "../../state/cards.ts";
import { PanelDialog } from "../panel-dialog.tsx";

/** Which tools the agent may use in this conversation. A switch shows what the server says. */
export function ToolsDialog({ chat, onClose }: { readonly chat: Chat; readonly onClose: () => void }): JSX.Element {
  const tools = chatOf(chat.transcript.view.value).tools ?? [];
  const [problem, setProblem] = useState<string | undefined>(undefined);
  return (
    <PanelDialog title="Tools" problem={problem} onClose={onClose}>
      <p class="quiet">What the agent may use in this conversation, from its next step on.</p>
      {tools.length === 0 ? <p>This deployment has no tools.</p> : null}
      <ul class="switches">
        {tools.map((tool) => (
          <li key={tool.name}>
            <Switch tool={tool} chat={chat} onProblem={setProblem} />
          </li>
        ))}
      </ul>
    </PanelDialog>
  );
}

interface SwitchProps {
  readonly tool: ChatView["tools"][number];
  readonly chat: Chat;
  readonly onProblem: (words: string | undefined) => void;
}

function Switch({ tool, chat, onProblem }: SwitchProps): JSX.Element {
  /** What was asked for and is not answered yet. */
  const [asked, setAsked] = useState<boolean | undefined>(undefined);
  const change = async (on: boolean): Promise<void> => {
    setAsked(on);
    const refusal = await chat.change({ tools: { [tool.name]: on } });
    onProblem(refusal?.message);
    setAsked(undefined);
  };
  return (
    <label class="switch">
      <code>{tool.name}</code>
      <input
        type="checkbox"
        role="switch"
        checked={asked ?? tool.on}
        aria-busy={asked !== undefined}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
    </label>
  );
}
