/** Names people use for places, by the IANA zone of each. Cities that name a zone themselves need no line here. */
const NAMES: Readonly<Record<string, string>> = {
  "Africa/Cairo": "egypt",
  "Africa/Johannesburg": "south africa, cape town",
  "Africa/Lagos": "nigeria",
  "Africa/Nairobi": "kenya",
  "America/Chicago": "texas, houston, dallas, austin",
  "America/Los_Angeles": "la, california, san francisco, san diego, seattle, portland, silicon valley",
  "America/Mexico_City": "mexico",
  "America/New_York": "nyc, ny, boston, washington, miami, atlanta, philadelphia",
  "America/Sao_Paulo": "brazil, rio, rio de janeiro",
  "America/Toronto": "montreal, ottawa",
  "Asia/Dubai": "uae, abu dhabi",
  "Asia/Ho_Chi_Minh": "vietnam, hanoi",
  "Asia/Jakarta": "indonesia",
  "Asia/Jerusalem": "israel, tel aviv",
  "Asia/Kolkata": "india, mumbai, delhi, new delhi, bangalore, bengaluru, chennai, kolkata, hyderabad",
  "Asia/Manila": "philippines",
  "Asia/Seoul": "korea, south korea",
  "Asia/Shanghai": "china, beijing, shenzhen",
  "Asia/Taipei": "taiwan",
  "Asia/Tokyo": "japan, osaka, kyoto",
  "Asia/Bangkok": "thailand",
  "Atlantic/Reykjavik": "iceland, reykjavik",
  "Australia/Sydney": "australia, canberra",
  "Europe/Amsterdam": "netherlands, holland, the hague",
  "Europe/Athens": "greece",
  "Europe/Berlin": "germany, munich, hamburg, cologne, frankfurt, stuttgart, leipzig",
  "Europe/Brussels": "belgium",
  "Europe/Copenhagen": "denmark",
  "Europe/Dublin": "ireland",
  "Europe/Helsinki": "finland",
  "Europe/Istanbul": "turkey, ankara",
  "Europe/Kyiv": "ukraine, kyiv, kiev",
  "Europe/Lisbon": "portugal",
  "Europe/London": "uk, england, britain, scotland, wales, united kingdom",
  "Europe/Madrid": "spain, barcelona",
  "Europe/Oslo": "norway",
  "Europe/Paris": "france, lyon",
  "Europe/Rome": "italy, milan, naples",
  "Europe/Stockholm": "sweden",
  "Europe/Vienna": "austria",
  "Europe/Warsaw": "poland",
  "Europe/Zurich": "switzerland, geneva, bern, basel",
  "Pacific/Auckland": "new zealand, wellington",
  "Pacific/Honolulu": "hawaii",
  UTC: "utc, gmt, greenwich",
};

/** Words in the longest name of a place. */
const MAX_WORDS = 4;
const ZONE_NAME = /\b[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_-]+){1,2}\b/g;
/** A word that a place stands after, then up to four words. */
const CANDIDATE = /(?:\b(?:in|for|at|and|to|or)|,)\s+(?=([a-z][\w.'-]*(?:\s+[a-z][\w.'-]*){0,3}))/gi;
const UNKNOWN_PLACE =
  /\b(?:in|for|at)\s+(?:the\s+)?([a-z][a-z '.-]{0,40}?)\s*(?=$|[?!.,;]|\b(?:and|right|now|today|please|as|at)\b)/i;

/** Zones of the places that a text names, in order, each once. A place that is none is given as written. */
export function placesIn(text: string): readonly string[] {
  const zones = text.match(ZONE_NAME) ?? [];
  const known = knownPlaces();
  const named = [...text.matchAll(CANDIDATE)].flatMap(([, words = ""]) => longestPlace(words, known) ?? []);
  const found = [...new Set([...zones, ...named])];
  if (found.length > 0) return found;
  const unknown = UNKNOWN_PLACE.exec(text)?.[1]?.trim();
  return unknown === undefined || unknown === "" ? [] : [unknown];
}

function longestPlace(text: string, known: ReadonlyMap<string, string>): string | undefined {
  const words = text.toLowerCase().replaceAll(/[.']/g, "").split(/\s+/);
  for (let length = Math.min(MAX_WORDS, words.length); length > 0; length--) {
    const zone = known.get(words.slice(0, length).join(" "));
    if (zone !== undefined) return zone;
  }
  return undefined;
}

function knownPlaces(): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    places.set(
      zone
        .slice(zone.lastIndexOf("/") + 1)
        .toLowerCase()
        .replaceAll("_", " "),
      zone,
    );
  }
  for (const [zone, names] of Object.entries(NAMES)) {
    for (const name of names.split(", ")) places.set(name, zone);
  }
  return places;
}
