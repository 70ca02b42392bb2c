import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { Icon } from "../icons.tsx";
import { useApp } from "../use-app.ts";

/** Opens the browser's file picker. */
export function AttachButton(): JSX.Element {
  const app = useApp();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          app.attach([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
    </>
  );
}
