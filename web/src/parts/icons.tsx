import type { JSX } from "preact";

/** Line drawings of the page. They are decoration: whoever uses one names the thing in words. */
const PATHS = {
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  attach: "M20 11.5l-8.2 8.2a5 5 0 01-7-7L13.4 4a3.3 3.3 0 014.7 4.7L9.6 17.2a1.7 1.7 0 01-2.4-2.4L14.7 7.3",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l4.5 4.5L19 7.5",
  cross: "M7 7l10 10M17 7L7 17",
  clock: "M12 7.5V12l3 2M12 21a9 9 0 100-18 9 9 0 000 18z",
  question: "M9.2 9.3a2.9 2.9 0 115 2c-1 .8-2.2 1.4-2.2 2.9M12 17.5h.01",
  ban: "M12 21a9 9 0 100-18 9 9 0 000 18zM5.8 5.8l12.4 12.4",
  chevron: "M9 6l6 6-6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  shield: "M12 3.5l7 2.7v5.3c0 4.3-2.9 7.6-7 9-4.1-1.4-7-4.7-7-9V6.2zM12 8.5v4M12 15.8h.01",
  copy: "M9 9h10v11H9zM5 15V4h10",
  file: "M7 3.5h7l4 4v13H7zM14 3.5v4h4",
  refresh: "M20 11a8 8 0 10-2.3 5.7M20 5v6h-6",
  pencil: "M4.5 19.5l1-4L16 5l3 3L8.5 18.5zM14 7l3 3",
  trash: "M5 7h14M10 7V4.5h4V7M7 7l.8 12.5h8.4L17 7",
  download: "M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14",
  bell: "M6.5 16.5V11a5.5 5.5 0 0111 0v5.5l1.5 1.5H5zM10.5 20.5h3",
  people:
    "M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM2.5 19.5c.9-3.4 3.4-5 6.5-5s5.6 1.6 6.5 5M15.5 4.3a3.5 3.5 0 010 6.5M18 14.9c1.8.8 3 2.3 3.5 4.6",
  user: "M12 12a4 4 0 100-8 4 4 0 000 8zM4.5 20.5c1-3.7 3.9-5.5 7.5-5.5s6.5 1.8 7.5 5.5",
  key: "M8.5 20a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM11.7 12.3L20 4M16 8l3 3M13.5 10.5l2 2",
  pin: "M9 3.5h6l-.8 6.5 3.3 3.5h-11L9.8 10zM12 13.5v7",
  fork: "M7 7.5a2 2 0 100-4 2 2 0 000 4zM17 7.5a2 2 0 100-4 2 2 0 000 4zM7 20.5a2 2 0 100-4 2 2 0 000 4zM7 7.5v9M17 7.5c0 4-3 4.5-6 5-2.5.4-4 1.5-4 4",
  fold: "M5 4.5h14M5 19.5h14M12 7v3.5M9.5 8.5l2.5 2.5 2.5-2.5M12 17v-3.5M9.5 15.5l2.5-2.5 2.5 2.5",
  fresh: "M12 3.5v3M12 17.5v3M3.5 12h3M17.5 12h3M6 6l2 2M16 16l2 2M18 6l-2 2M8 16l-2 2",
  past: "M4 12a8 8 0 108-8c-2.8 0-5.2 1.4-6.6 3.5M5 3.5V8h4.5M12 8v4.3l3 1.7",
  sent: "M4 5h16v11H9l-5 4zM8 9h8M8 12.5h5",
  tools: "M4 7h9M17 7h3M15 9a2 2 0 100-4 2 2 0 000 4zM4 17h3M11 17h9M9 19a2 2 0 100-4 2 2 0 000 4z",
  leave: "M14 4.5h4.5v15H14M4.5 12h10M11 8.5l3.5 3.5-3.5 3.5",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }): JSX.Element {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** The sign of the house: a ring of people around what they decide. */
export function Mark({ size = 24 }: { readonly size?: number }): JSX.Element {
  const seats = [0, 1, 2, 3, 5, 6, 7].map((seat) => (seat * Math.PI) / 4);
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      {seats.map((angle) => (
        <circle key={angle} cx={16 + 11.5 * Math.sin(angle)} cy={16 - 11.5 * Math.cos(angle)} r="2.5" />
      ))}
      <circle class="center" cx="16" cy="16" r="4.6" />
    </svg>
  );
}
