import { definePlugin, type Plugin, type serviceKey } from "../../src/host/index.ts";

type ServiceKey<T> = ReturnType<typeof serviceKey<T>>;

/** A service that a test gives in place of the plugin that has it. */
export interface GivenService {
  readonly key: ServiceKey<unknown>;
  readonly value: unknown;
}

/** Pairs a key with what stands in for its service. */
export function servicePair<T>(key: ServiceKey<T>, value: T): GivenService {
  return { key, value };
}

/** A plugin that provides what a test gives. */
export function givenServices(given: readonly GivenService[]): Plugin {
  return definePlugin({
    name: "given-services",
    provides: given.map(({ key }) => key),
    setup({ services }) {
      for (const { key, value } of given) services.provide(key, value);
      return {};
    },
  });
}
