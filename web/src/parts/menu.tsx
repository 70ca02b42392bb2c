import type { ComponentChildren, JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { Icon, type IconName } from "./icons.tsx";

interface MenuProps {
  /** Names the button where its face has no words. */
  readonly label?: string;
  /** What the button shows. */
  readonly face: ComponentChildren;
  readonly faceClass?: string;
  readonly children: ComponentChildren;
}

/**
 * A button that opens a small list of commands beside it. The browser's popover brings Escape, focus and order. The
 * commands exist while it is open: each message has a menu.
 */
export function Menu({ label, face, faceClass = "icon-button", children }: MenuProps): JSX.Element {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const place = (event: { readonly newState: string }) => {
    if (event.newState === "closed") setOpen(false);
    else if (button.current !== null && panel.current !== null) {
      placeBeside(button.current, panel.current);
    }
  };
  return (
    <>
      <button ref={button} type="button" class={faceClass} aria-label={label} title={label} popovertarget={id}>
        {face}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        class="menu"
        onBeforeToggle={(event) => event.newState === "open" && setOpen(true)}
        onToggle={place}
        // Before the command: a dialog that it opens gives the focus back to whatever had it then, and items go.
        onClickCapture={() => panel.current?.hidePopover()}
      >
        {isOpen ? children : null}
      </div>
    </>
  );
}

interface MenuItemProps {
  readonly icon: IconName;
  readonly children: ComponentChildren;
  readonly isDangerous?: boolean;
  readonly onPick: () => void;
}

export function MenuItem({ icon, children, isDangerous = false, onPick }: MenuItemProps): JSX.Element {
  return (
    <button type="button" class={isDangerous ? "menu-item dangerous" : "menu-item"} onClick={onPick}>
      <Icon name={icon} size={18} />
      {children}
    </button>
  );
}

export function MenuLink({
  icon,
  href,
  children,
}: {
  icon: IconName;
  href: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <a class="menu-item" href={href} download>
      <Icon name={icon} size={18} />
      {children}
    </a>
  );
}

const GAP = 6;
const EDGE = 8;

/** Below the button where there is room, else above it; never beyond the window. */
function placeBeside(button: HTMLElement, panel: HTMLElement): void {
  const at = button.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = panel;
  const left = Math.min(Math.max(EDGE, at.right - width), window.innerWidth - width - EDGE);
  const isRoomBelow = at.bottom + GAP + height + EDGE <= window.innerHeight;
  const top = isRoomBelow ? at.bottom + GAP : Math.max(EDGE, at.top - GAP - height);
  panel.style.left = `${left}px`;
  panel.style.top = `${top}px`;
}
