/** Stable codes of what stops a start. */
export type PluginErrorCode =
  | "bad_plugin"
  | "unknown_part"
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
