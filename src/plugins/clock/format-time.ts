/**
 * A moment as read in a zone, for example
 * `Saturday, 29 November 2025, 20:55:03 in Asia/Tokyo (UTC+09:00), 2025-11-29T20:55:03+09:00`.
 * @throws RangeError when the runtime does not know the zone.
 */
export function formatTime(ms: number, zone: string): string {
  const parts = new Map(
    new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "long",
      year: "numeric",
      month: "long",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      hourCycle: "h23",
      timeZoneName: "longOffset",
    })
      .formatToParts(ms)
      .map((part) => [part.type, part.value]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? "";
  const time = `${get("hour")}:${get("minute")}:${get("second")}`;
  const offset = get("timeZoneName").replace("GMT", "") || "+00:00";
  const day = `${get("weekday")}, ${get("day")} ${get("month")} ${get("year")}`;
  return `${day}, ${time} in ${zone} (UTC${offset}), ${isoDate(ms, zone)}T${time}${offset}`;
}

function isoDate(ms: number, zone: string): string {
  // The Swedish form is year-month-day.
  return new Intl.DateTimeFormat("sv-SE", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
    ms,
  );
}
