const MINUTE_MS = 60_000;

/** The formatter of a zone, and the day that it told last: of all times of that minute, since clocks differ by whole minutes. */
interface Calendar {
  readonly format: Intl.DateTimeFormat;
  minute: number;
  day: string;
}

const calendars = new Map<string, Calendar>();

/** The calendar day of a time in a zone, `2026-11-30`. Its first seven characters are the month. */
export function dayOf(now: number, zone: string): string {
  const calendar = calendarOf(zone);
  const minute = Math.floor(now / MINUTE_MS);
  if (calendar.minute !== minute) Object.assign(calendar, { minute, day: calendar.format.format(now) });
  return calendar.day;
}

export function monthOf(day: string): string {
  return day.slice(0, "2026-11".length);
}

function calendarOf(zone: string): Calendar {
  const known = calendars.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  });
  const calendar = { format, minute: Number.NaN, day: "" };
  calendars.set(zone, calendar);
  return calendar;
}
