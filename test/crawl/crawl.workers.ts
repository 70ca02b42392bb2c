import type { Route } from "../../src/routes/route.ts";
import { LOCAL } from "../kit/edge.ts";
import { changed } from "./changed.ts";
import type { Door } from "./doors.workers.ts";
import { MARK, type Place, type PlaceName, type Scene } from "./scene.workers.ts";
import { storedEverywhere } from "./stored.workers.ts";
import { gates, guards, rightful, strangers, type Way } from "./ways.workers.ts";

/** An answer as its sender can tell it from another. */
interface Heard {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

const INSIDE = ["private", "room"] as const;

/** Tries a route in every way that must be refused. Yields what is wrong, in words. */
export async function* tryRefused(scene: Scene, route: Route, door: Door): AsyncGenerator<string> {
  const before = await storedEverywhere(scene);
  yield* tryGates(scene, route, door);
  yield* tryGuards(scene, route, door);
  for (const place of INSIDE) yield* tryStrangers(scene, route, door, place);
  yield* changed(before, await storedEverywhere(scene));
}

/** Comes in by a route in the places where it leads somewhere. Yields what is wrong, in words. */
export async function* comeIn(scene: Scene, route: Route, door: Door): AsyncGenerator<string> {
  for (const place of isOfConversation(door) ? INSIDE : (["private"] as const)) {
    const as = rightful(scene.cast, door, place);
    const heard = await ask(scene, route, door, place, { with: as === undefined ? {} : { as } });
    const wanted = typeof door.ok === "object" ? door.ok[place] : door.ok;
    const code = codeOf(heard);
    const got = code === undefined ? `${heard.status}` : `${heard.status} ${code}`;
    if (got !== String(wanted)) yield `whoever may come in gets ${got} in ${place}, not ${wanted}: ${heard.body}`;
  }
}

async function* tryGates(scene: Scene, route: Route, door: Door): AsyncGenerator<string> {
  if (door.for === "anybody") return;
  for (const way of gates(scene.cast)) {
    const [heard, other] = await Promise.all([
      ask(scene, route, door, "private", way),
      ask(scene, route, door, "missing", way),
    ]);
    yield* refused(way, heard);
    yield* equal(way, heard, other);
  }
}

async function* tryGuards(scene: Scene, route: Route, door: Door): AsyncGenerator<string> {
  const right = rightful(scene.cast, door, "private");
  const isRead = route.method === "GET";
  const needsOrigin = !isRead || isUpgrade(door);
  for (const way of guards(scene.cast, right, { needsOrigin, isRead }))
    yield* refused(way, await ask(scene, route, door, "private", way));
}

async function* tryStrangers(scene: Scene, route: Route, door: Door, place: PlaceName): AsyncGenerator<string> {
  if (!isOfConversation(door) && place === "room") return;
  for (const way of strangers(scene.cast, door, place)) {
    const heard = await ask(scene, route, door, place, way);
    for (const fault of refused(way, heard)) yield `${place}: ${fault}`;
    if (way.status === 404) yield* equal(way, heard, await ask(scene, route, door, "missing", way));
  }
}

function isOfConversation({ for: audience }: Door): boolean {
  return audience === "members" || audience === "speaker" || audience === "room owners";
}

function isUpgrade({ more }: Door): boolean {
  return more?.().headers?.["upgrade"] !== undefined;
}

/** Goes to a door. A socket that opens is closed again. */
async function ask(
  scene: Scene,
  route: Route,
  door: Door,
  at: PlaceName,
  way: Pick<Way, "with" | "base">,
): Promise<Heard> {
  const { edge, cast } = scene;
  const place = scene[at];
  const { headers, ...more } = door.more?.() ?? {};
  const own = isUpgrade(door) ? { origin: LOCAL } : {};
  const response = await edge.fetch(`${way.base ?? LOCAL}${pathOf(route, door, place, scene)}`, {
    method: route.method,
    ...own,
    ...more,
    ...(door.json && { json: door.json(place, cast) }),
    ...way.with,
    headers: { ...headers, ...way.with.headers },
  });
  if (response.webSocket) {
    response.webSocket.accept();
    response.webSocket.close();
  }
  return {
    status: response.status,
    headers: JSON.stringify([...response.headers]),
    body: response.status === 101 ? "" : await response.text(),
  };
}

function pathOf(route: Route, door: Door, place: Place, { cast }: Scene): string {
  const parts: Readonly<Record<string, string>> = { id: place.id, ...door.path?.(place, cast) };
  const path = route.path.replace(/:(\w+)|\*/g, (whole, name: string | undefined) => {
    const part = parts[name ?? whole];
    if (part === undefined) throw new Error(`${route.method} ${route.path}: the crawl knows no ${whole}`);
    return part;
  });
  return path + (door.query?.(place) ?? "");
}

function* refused({ name, status, code }: Way, heard: Heard): Generator<string> {
  if (heard.status !== status || codeOf(heard) !== code) {
    yield `${name} gets ${heard.status} and not ${status} ${code}: ${heard.body.slice(0, 200)}`;
  }
  if ((heard.headers + heard.body).includes(MARK)) yield `${name} reads what people wrote: ${heard.body.slice(0, 200)}`;
}

function* equal({ name }: Way, hidden: Heard, missing: Heard): Generator<string> {
  const [here, there] = [JSON.stringify(hidden), JSON.stringify(missing)];
  if (here !== there) yield `${name} can tell what is hidden from what is missing: ${here} ${there}`;
}

function codeOf({ status, body }: Heard): string | undefined {
  if (status < 400) return undefined;
  try {
    return (JSON.parse(body) as { error?: { code?: string } }).error?.code;
  } catch {
    return "no refusal";
  }
}
