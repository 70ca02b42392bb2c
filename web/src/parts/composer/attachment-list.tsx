import type { JSX } from "preact";
import type { Attachment, DraftBox } from "../../app/draft-box.ts";
import { formatBytes } from "../../state/format.ts";
import { Icon } from "../icons.tsx";

/** The files beside the words, with their progress. */
export function AttachmentList({ draft }: { readonly draft: DraftBox }): JSX.Element | null {
  const items = draft.attachments.value;
  if (items.length === 0) return null;
  return (
    <ul class="attachments" aria-label="Attached files">
      {items.map((item) => (
        <li key={item.key} class={`chip ${item.status}`}>
          {item.preview === undefined ? <Icon name="file" size={18} /> : <img src={item.preview} alt="" />}
          <bdi class="chip-name">{item.name}</bdi>
          <State item={item} />
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove ${item.name}`}
            onClick={() => draft.detach(item.key)}
          >
            <Icon name="close" size={16} />
          </button>
        </li>
      ))}
    </ul>
  );
}

function State({ item }: { readonly item: Attachment }): JSX.Element {
  switch (item.status) {
    case "uploading":
      return <progress max={1} value={item.part} aria-label={`Uploading ${item.name}`} />;
    case "ready":
      return <span class="quiet">{formatBytes(item.file.bytes)}</span>;
    case "failed":
      return (
        <span class="problem" role="alert">
          {item.message}
        </span>
      );
  }
}
