import type { SocketShape } from "../net/line.ts";
import type { Rest } from "../net/rest.ts";
import type { Keep } from "../state/storage.ts";

/** The world as the page uses it. `main.tsx` gives the browser's, tests their own. */
export interface Ports {
  readonly rest: Rest;
  readonly keep: Keep;
  openSocket(path: string, protocol: string): SocketShape;
  isOnline(): boolean;
  /** Nobody looks at the page. */
  isHidden(): boolean;
  nowMs(): number;
  random(): number;
  uuid(): string;
  after(ms: number, call: () => void): () => void;
}
