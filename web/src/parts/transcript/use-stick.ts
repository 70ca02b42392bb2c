import { type Signal, useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The scrolling of the transcript: at the bottom it follows what comes, elsewhere it stays where the person reads. */
export interface Stick {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly isStuck: Signal<boolean>;
  toBottom(): void;
}

/** How near to the bottom counts as at it. */
const NEAR_PX = 48;
/** How long after a wheel, a finger or a key a scroll counts as the person's own. */
const INTENT_MS = 1_000;
const SETTLE_MS = 300;
const INTENTS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
const KEYS_UP = new Set(["ArrowUp", "PageUp", "Home"]);

export function useStick(): Stick {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useSignal(true);
  const toBottom = (): void => {
    isStuck.value = true;
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
  useLayoutEffect(() => {
    if (scroller.current === null || content.current === null) return;
    return followScrolling(scroller.current, content.current, isStuck);
  }, []);
  return { scroller, content, isStuck, toBottom };
}

/** @returns what undoes it. */
function followScrolling(scroller: HTMLElement, content: HTMLElement, isStuck: Signal<boolean>): () => void {
  let top = 0;
  let height = 0;
  let intentAt = Number.NEGATIVE_INFINITY;
  const remember = (): void => {
    top = scroller.scrollTop;
    height = scroller.scrollHeight;
  };
  const isNear = (): boolean => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_PX;
  const onIntent = (event: Event): void => {
    intentAt = performance.now();
    // At once, before the browser scrolls: text that grows meanwhile must not pull the reader down again.
    if (!goesUp(event) || scroller.scrollTop <= 0 || !isStuck.value) return;
    isStuck.value = false;
    // A block of code inside may have taken the scroll for itself.
    setTimeout(() => isNear() && (isStuck.value = true), SETTLE_MS);
  };
  const onScroll = (): void => {
    // Rows that shrink or grow move the text as well: that is not the person leaving the bottom.
    const isOwn = performance.now() - intentAt < INTENT_MS || scroller.scrollHeight === height;
    if (isNear()) isStuck.value = true;
    else if (isOwn && scroller.scrollTop < top - 1) isStuck.value = false;
    remember();
  };
  const observer = new ResizeObserver(() => {
    if (isStuck.value) scroller.scrollTop = scroller.scrollHeight;
    remember();
  });
  observer.observe(content);
  observer.observe(scroller);
  scroller.addEventListener("scroll", onScroll, { passive: true });
  for (const intent of INTENTS) scroller.addEventListener(intent, onIntent, { passive: true });
  scroller.scrollTop = scroller.scrollHeight;
  return () => {
    observer.disconnect();
    scroller.removeEventListener("scroll", onScroll);
    for (const intent of INTENTS) scroller.removeEventListener(intent, onIntent);
  };
}

function goesUp(event: Event): boolean {
  if (event instanceof WheelEvent) return event.deltaY < 0;
  return event instanceof KeyboardEvent && KEYS_UP.has(event.key);
}
