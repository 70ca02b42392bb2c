/** `althing/testing`: what a plugin's author tests with. */
export { hostContext } from "./host-context.ts";
export { nodeWorld } from "./node-world.ts";
export { type GivenService, servicePair } from "./service-pair.ts";
export { stopOf } from "./stop-of.ts";
export {
  checkSurfaceContract,
  contractScript,
  describeSurfaceContract,
  type MakeSubject,
  type SurfaceAbilities,
  type SurfaceScene,
  type SurfaceSubject,
} from "./surface-contract.ts";
export { type TestHostOptions, testHost } from "./test-host.ts";
export { type TestedPlugin, testPlugin } from "./test-plugin.ts";
