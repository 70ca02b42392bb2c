import { unknownPart } from "../define-plugin.ts";
import { EVENT_NAMES, type HostEvents, IMPOSSIBLE_EVENTS } from "../events/host-events.ts";
import { PluginError } from "../plugin-error.ts";

/** @throws PluginError for an event that does not exist, one that cannot exist here, and what is no function. */
export function checkEvents(plugin: string, events: HostEvents): void {
  for (const [name, handler] of Object.entries(events)) {
    const why = Object.hasOwn(IMPOSSIBLE_EVENTS, name) ? IMPOSSIBLE_EVENTS[name] : undefined;
    if (why !== undefined) {
      throw new PluginError("impossible_event", `Plugin ${plugin} watches ${name}, which there is not here: ${why}.`);
    }
    if (!EVENT_NAMES.some((known) => known === name)) {
      throw unknownPart(`The events of plugin ${plugin}`, name, EVENT_NAMES);
    }
    if (typeof handler !== "function") {
      throw new PluginError("bad_part", `Plugin ${plugin}: what handles the event ${name} must be a function.`);
    }
  }
}
