import { definePlugin, serviceKey } from "../../src/host/index.ts";

/** What another plugin may ask of this one. The key is the authority: whoever imports it may use it. */
export interface Cup {
  /** A whole number from 1 to `sides`. */
  shake(sides: number): number;
}

export const CUP = serviceKey<Cup>("cup", { absent: "Add the plugin cup to the list of plugins, before dice." });

/** Provides a service and contributes nothing else. */
export const cupPlugin = definePlugin({
  name: "cup",
  provides: [CUP],
  setup({ services }) {
    services.provide(CUP, {
      shake: (sides) => 1 + Math.floor(Math.random() * sides),
    });
    return {};
  },
});
