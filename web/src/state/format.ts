const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** "12,345", whatever the browser's language: the page speaks English. */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}

/** "820 B", "1.5 KiB", "10 MiB" */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const unit = bytes < 1024 * 1024 ? "KiB" : "MiB";
  const value = bytes / (unit === "KiB" ? 1024 : 1024 * 1024);
  const rounded = value < 10 ? Math.ceil(value * 10) / 10 : Math.ceil(value);
  return `${rounded} ${unit}`;
}

/** Dollars from millionths: "$0.0042", "$1.25"; "" for nothing spent. */
export function formatCost(micros: number): string {
  if (micros <= 0) return "";
  const dollars = micros / 1_000_000;
  if (dollars < 0.0001) return "<$0.0001";
  return dollars < 0.01 ? `$${dollars.toFixed(4)}` : `$${dollars.toFixed(2)}`;
}

/** How long something took: "340 ms", "2.4 s", "3 min 5 s". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Time that is left: "23 h", "59 min", "4 min 05 s", "12 s". Never negative. */
export function formatLeft(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 600) return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  if (seconds < 5_400) return `${Math.floor(seconds / 60)} min`;
  return `${Math.round(seconds / 3_600)} h`;
}

/** When something was, for a list: "now", "5 min", "3 h", "Tue", "3 Mar", "3 Mar 2025". */
export function formatRelative(at: number, nowMs: number): string {
  const age = nowMs - at;
  if (age < MINUTE) return "now";
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h`;
  const date = new Date(at);
  if (age < 6 * DAY) return date.toLocaleDateString("en-GB", { weekday: "short" });
  const sameYear = date.getFullYear() === new Date(nowMs).getFullYear();
  return date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}

/** When something was, in a sentence: "just now", "5 min ago", "on Tue", "on 3 Mar 2025". */
export function formatAgo(at: number, nowMs: number): string {
  const said = formatRelative(at, nowMs);
  if (said === "now") return "just now";
  return nowMs - at < DAY ? `${said} ago` : `on ${said}`;
}

/** A day, whichever year: "3 Mar 2025". */
export function formatDate(at: number): string {
  return new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" });
}

/** The heading of a day: "Today", "Yesterday", "Tuesday 3 March", with the year when it is another. */
export function formatDay(at: number, nowMs: number): string {
  const day = startOfDay(at);
  const today = startOfDay(nowMs);
  if (day === today) return "Today";
  if (day === startOfDay(today - DAY / 2)) return "Yesterday";
  const sameYear = new Date(at).getFullYear() === new Date(nowMs).getFullYear();
  const words = new Date(at).toLocaleDateString("en-GB", {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(sameYear ? {} : { year: "numeric" }),
  });
  // Browsers disagree about the comma.
  return words.replace(",", "");
}

/** The hour of a message in the reader's own habit: "14:05" or "2:05 PM". */
export function formatClock(at: number): string {
  return new Date(at).toLocaleTimeString(undefined, { hour: "numeric", minute: "2-digit" });
}

/** Midnight before an instant, in the reader's time zone. */
export function startOfDay(at: number): number {
  const date = new Date(at);
  date.setHours(0, 0, 0, 0);
  return date.getTime();
}
