import { PluginError } from "./plugin-error.ts";

/** Names that belong to features to come. */
const RESERVED: Readonly<Record<string, ReadonlySet<string>>> = {
  tool: new Set(["bash", "read", "edit", "write"]),
};

/** Who has which name: a second owner stops the start, naming both. */
export class Owners {
  readonly #owners = new Map<string, string>();

  /** @throws PluginError `clash` when another plugin, or the same one, has it already; `reserved`. */
  claim(what: string, name: string, plugin: string): void {
    if (RESERVED[what]?.has(name)) {
      throw new PluginError("reserved", `Plugin ${plugin}: the ${what} name ${name} is reserved: rename it.`);
    }
    const key = `${what}\n${name}`;
    const owner = this.#owners.get(key);
    if (owner === undefined) {
      this.#owners.set(key, plugin);
      return;
    }
    throw new PluginError("clash", owner === plugin ? within(what, name, plugin) : between(what, name, owner, plugin));
  }
}

function within(what: string, name: string, plugin: string): string {
  return `Plugin ${plugin} has two parts for the ${what} ${name}: rename or leave out one of them.`;
}

function between(what: string, name: string, first: string, second: string): string {
  return (
    `Plugins ${first} and ${second} both have a ${what} named ${name}: rename one of the two, or switch one plugin off ` +
    "under features in althing.config.ts."
  );
}
