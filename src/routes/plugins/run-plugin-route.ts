import type { PluginRequest, PluginRoute } from "../../host/index.ts";
import { abortable } from "../../lib/abortable.ts";
import { Refuse } from "../refusal.ts";

/** Has a plugin answer, as long as the request's signal waits. @throws Refuse when it took too long; what the plugin threw. */
export async function runPluginRoute(plugin: string, route: PluginRoute, request: PluginRequest): Promise<Response> {
  try {
    return await abortable(route.handle(request), request.signal);
  } catch (error) {
    if (!request.signal.aborted) throw error;
    throw new Refuse({ code: "unavailable", message: `The plugin ${plugin} has not answered in time: try again.` });
  }
}
