/** Stable codes of what stops a start, or an order of a plugin's. */
export type PluginErrorCode =
  | "bad_plugin"
  | "unknown_part"
  | "bad_part"
  | "impossible_event"
  | "bad_migration"
  | "no_surface"
  | "slot_in_setup"
  | "bad_order"
  | "setup_failed"
  | "duplicate_plugin"
  | "clash"
  | "reserved"
  | "service_order"
  | "service_absent"
  | "service_undeclared"
  | "service_twice"
  | "service_missing"
  | "query_in_setup"
  | "unknown_feature"
  | "preflight_failed";

/** A plugin cannot be used as it is. The message names the plugin, what is wrong and the remedy; the start stops. */
export class PluginError extends Error {
  override readonly name = "PluginError";
  readonly code: PluginErrorCode;
  constructor(code: PluginErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
