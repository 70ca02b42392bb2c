import type { JSX } from "preact";
import type { AssistantPart, Message, UserPart } from "../../../../src/protocol/message.ts";
import { formatBytes, formatCount } from "../../state/format.ts";
import { nameSender, sizeOf } from "../../state/sent.ts";
import { prettyArgs } from "../../state/tool-state.ts";

/** A message as it was sent: every word as it stands, nothing of it drawn as markup. */
export function MessageBody({ message }: { readonly message: Message }): JSX.Element {
  return (
    <>
      <p class="sent-role">
        <b>{nameSender(message)}</b> <span class="quiet">{formatCount(sizeOf(message))} characters</span>
      </p>
      {message.role === "system" ? (
        <pre>{message.text}</pre>
      ) : (
        message.content.map((part, index) => <PartView key={index} part={part} />)
      )}
    </>
  );
}

function PartView({ part }: { readonly part: UserPart | AssistantPart }): JSX.Element {
  switch (part.type) {
    case "text":
      return <pre>{part.text}</pre>;
    case "thinking":
      return (
        <>
          <p class="quiet">Thought</p>
          <pre>{part.text}</pre>
        </>
      );
    case "call":
      return <CallView part={part} />;
    case "file":
      return (
        <p>
          File <bdi>{part.file.name}</bdi> ({part.file.mime}, {formatBytes(part.file.bytes)})
        </p>
      );
  }
}

/** A call that a model asked for, with its input. */
export function CallView({ part }: { readonly part: Extract<AssistantPart, { readonly type: "call" }> }): JSX.Element {
  return (
    <>
      <p class="quiet">
        Calls <code>{part.name}</code>
      </p>
      <pre>{prettyArgs(part.args)}</pre>
    </>
  );
}
