/** The part of a keyboard event that decides what Enter does. */
export interface KeyPress {
  readonly key: string;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly isComposing: boolean;
  /** 229 while an input method composes, also where `isComposing` is already false (Safari). */
  readonly keyCode: number;
}

/** What a key does in the message field: Enter sends, except on a touch screen, with Shift, or inside a composition. */
export function decideKey(press: KeyPress, isTouch: boolean): "send" | "type" {
  if (press.key !== "Enter" || press.isComposing || press.keyCode === 229) return "type";
  if (press.ctrlKey || press.metaKey) return "send";
  return press.shiftKey || press.altKey || isTouch ? "type" : "send";
}
