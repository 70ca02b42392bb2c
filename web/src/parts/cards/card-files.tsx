import type { JSX } from "preact";
import type { CardFile } from "../../../../src/protocol/cards.ts";
import { formatBytes } from "../../state/format.ts";

/** The files that a call is about, as the host read them. */
export function CardFiles({ files }: { readonly files: readonly CardFile[] }): JSX.Element {
  return (
    <ul class="card-files" aria-label="Files">
      {files.map(({ id, name, bytes, sha256 }) => (
        <li key={id}>
          <bdi>{name}</bdi>{" "}
          <span class="quiet">
            {formatBytes(bytes)}, SHA-256 <code>{sha256}…</code>
          </span>
        </li>
      ))}
    </ul>
  );
}
