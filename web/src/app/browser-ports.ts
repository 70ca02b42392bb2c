import { createRest } from "../net/rest.ts";
import { uploadFile } from "../net/upload.ts";
import { keepIn } from "../state/storage.ts";
import type { WindowPorts } from "./app.ts";
import type { Ports } from "./ports.ts";

/** The browser behind the page's ports. */
export function browserPorts(window: Window & typeof globalThis, onStorageFull: () => void): Ports {
  return {
    rest: createRest((path, init) => window.fetch(path, init)),
    keep: keepIn(window.localStorage, onStorageFull),
    openSocket: (path, protocol) => {
      const url = new URL(path, window.location.href);
      url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
      return new WebSocket(url, protocol);
    },
    isOnline: () => window.navigator.onLine,
    isHidden: () => window.document.hidden,
    nowMs: () => Date.now(),
    random: () => Math.random(),
    uuid: () => randomUuid(window.crypto),
    after: (ms, call) => {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
  };
}

export function browserWindow(window: Window & typeof globalThis): WindowPorts {
  return {
    leave: () => window.location.replace("/chat"),
    go: (path, how) => {
      if (how === "push") window.history.pushState(null, "", path);
      else window.history.replaceState(null, "", path);
    },
    upload: uploadFile,
    preview: (file) => (file.type.startsWith("image/") ? URL.createObjectURL(file) : undefined),
  };
}

/** `crypto.randomUUID` is missing on plain http beyond loopback; random bytes are not. */
function randomUuid(crypto: Crypto): string {
  if (crypto.randomUUID !== undefined) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte, index) => {
    const value = index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte;
    return value.toString(16).padStart(2, "0");
  }).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
