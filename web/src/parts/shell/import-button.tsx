import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { BundleImport } from "../../app/bundle-import.ts";
import { uploadBundle } from "../../net/upload.ts";
import { useApp } from "../use-app.ts";
import { ImportDialog } from "./import-dialog.tsx";

/** The way from a file to a conversation. */
export function ImportButton(): JSX.Element {
  const app = useApp();
  const [isOpen, setOpen] = useState(false);
  const [imports] = useState(() => {
    const onMade = (id: string): void => {
      setOpen(false);
      void app.list.refresh();
      app.openChat(id);
    };
    return new BundleImport({ uuid: app.ports.uuid, send: uploadBundle, onMade });
  });
  useEffect(() => () => imports.leave(), [imports]);
  const close = (): void => {
    setOpen(false);
    imports.leave();
  };
  return (
    <>
      <button type="button" class="text-button import-button" onClick={() => setOpen(true)}>
        Import a conversation
      </button>
      {isOpen ? <ImportDialog imports={imports} onClose={close} /> : null}
    </>
  );
}
