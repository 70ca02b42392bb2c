const formats = new Map<string, Intl.DateTimeFormat>();

/** The calendar day of a time in a zone, `2026-11-30`. Its first seven characters are the month. */
export function dayOf(now: number, zone: string): string {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" });
    formats.set(zone, format);
  }
  return format.format(now);
}

export function monthOf(day: string): string {
  return day.slice(0, "2026-11".length);
}
