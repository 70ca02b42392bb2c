import { nearest } from "../../lib/nearest.ts";

/** True when the runtime knows the time zone. */
export function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The known zone that a wrong name most likely means: the one of that city, else the one spelled most alike. */
export function nearestZone(name: string): string | undefined {
  const zones = Intl.supportedValuesOf("timeZone");
  const wanted = name.trim().replaceAll(/\s+/g, "_");
  const cities = new Map(zones.map((zone) => [cityOf(zone), zone]));
  const city = cities.get(cityOf(wanted)) ?? cities.get(nearest(cityOf(wanted), cities.keys()) ?? "");
  return nearest(wanted, zones) ?? city;
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1).toLowerCase();
}
