import type { JSX } from "preact";
import type { FileRef } from "../../../../src/protocol/message.ts";
import { filePath } from "../../net/rest.ts";
import { formatBytes } from "../../state/format.ts";
import { Icon } from "../icons.tsx";

/** Kinds that the server serves as pictures; anything else is offered as a download. */
const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Files of a message: pictures of this origin as thumbnails, others as chips. */
export function FileList(props: {
  readonly files: readonly FileRef[];
  readonly conversation: string;
}): JSX.Element | null {
  const { files, conversation } = props;
  if (files.length === 0) return null;
  return (
    <ul class="files">
      {files.map((file) => (
        <li key={file.id}>
          <a
            class={PICTURES.has(file.mime) ? "thumbnail" : "chip"}
            href={filePath(conversation, file)}
            target="_blank"
            rel="noopener"
            title={`${file.name}, ${formatBytes(file.bytes)}`}
          >
            {PICTURES.has(file.mime) ? (
              <img src={filePath(conversation, file)} alt={file.name} loading="lazy" />
            ) : (
              <>
                <Icon name="file" size={18} />
                <bdi class="chip-name">{file.name}</bdi>
                <span class="quiet">{formatBytes(file.bytes)}</span>
              </>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}
