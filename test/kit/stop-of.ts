import { PluginError } from "../../src/host/index.ts";

/** Code and sentence of what a start was stopped by. */
export function stopOf(start: () => unknown): { readonly code: string; readonly message: string } {
  try {
    start();
  } catch (error) {
    if (error instanceof PluginError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("the start was not stopped");
}
