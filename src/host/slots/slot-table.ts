import { unknownPart } from "../define-plugin.ts";
import type { Owners } from "../owners.ts";
import { PluginError } from "../plugin-error.ts";
import { checkModels } from "./check-models.ts";
import { type Filling, type ProviderSlots, type Providers, SLOT_METHODS, type SlotName } from "./slots.ts";

const NAMES = Object.keys(SLOT_METHODS);

/** Who fills which slot. Readable once every plugin is set up. */
export class SlotTable implements Providers {
  readonly #defaults: Partial<ProviderSlots>;
  readonly #fillers = new Map<SlotName, { readonly plugin: string; readonly filler: ProviderSlots[SlotName] }>();
  #isWhole = false;

  constructor(defaults: Partial<ProviderSlots> = {}) {
    this.#defaults = defaults;
  }

  /** Takes a plugin's providers. @throws PluginError for an unknown slot, a filler that can do nothing, a second filler. */
  fill(plugin: string, providers: Partial<ProviderSlots>, owners: Owners): void {
    for (const [slot, filler] of Object.entries(providers)) {
      if (!isSlot(slot)) throw unknownPart(`The providers of plugin ${plugin}`, slot, NAMES);
      const lacking = SLOT_METHODS[slot].find((method) => typeof Reflect.get(filler, method) !== "function");
      if (lacking !== undefined) {
        throw new PluginError("bad_part", `Plugin ${plugin}: what fills the slot ${slot} needs a method ${lacking}.`);
      }
      if (providers.models && slot === "models") checkModels(plugin, providers.models);
      owners.claim("provider slot", slot, plugin);
      this.#fillers.set(slot, { plugin, filler });
    }
  }

  /** Every plugin is set up. */
  close(): void {
    this.#isWhole = true;
  }

  get<S extends SlotName>(slot: S): ProviderSlots[S] | undefined {
    this.#requireWhole(slot);
    return (this.#fillers.get(slot)?.filler as ProviderSlots[S] | undefined) ?? this.#defaults[slot];
  }

  filled(slot: SlotName): Filling | undefined {
    this.#requireWhole(slot);
    const filler = this.#fillers.get(slot);
    if (filler) return { by: "plugin", plugin: filler.plugin };
    return this.#defaults[slot] && { by: "default" };
  }

  #requireWhole(slot: SlotName): void {
    if (this.#isWhole) return;
    throw new PluginError(
      "slot_in_setup",
      `The provider slot ${slot} is asked for during a setup, when a later plugin may still fill it: ask when it is used.`,
    );
  }
}

function isSlot(name: string): name is SlotName {
  return NAMES.includes(name);
}
