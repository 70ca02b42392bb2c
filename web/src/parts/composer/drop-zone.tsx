import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useApp } from "../use-app.ts";

/** Takes files that are dropped anywhere on the conversation. */
export function DropZone({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const app = useApp();
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") === true;
  const move = (event: DragEvent, step: number) => {
    if (!hasFiles(event)) return;
    depth.current += step;
    setOver(depth.current > 0);
  };
  return (
    <div
      class="drop-zone"
      onDragEnter={(event) => move(event, 1)}
      onDragLeave={(event) => move(event, -1)}
      onDragOver={(event) => hasFiles(event) && event.preventDefault()}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        app.attach([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      {children}
      {isOver ? <div class="drop-hint">Drop files to attach them</div> : null}
    </div>
  );
}
