import { AppServer } from "../kit/app-server/app-server.ts";
import { EffectReceiver } from "../kit/effect-receiver.ts";
import { createModelServer, listen } from "../kit/model-server/index.ts";
import { buildPage } from "./built-page.ts";
import type { PageWorld } from "./page-world.ts";

/** A world in which more people than the owner are. */
export interface RealWorld extends PageWorld {
  /** Somebody who was admitted and is signed in: their principal, and the id of their session. */
  person: AppServer["person"];
}

/** The whole deployment in workerd, with the built page, a webhook that counts, and a scripted model beside the demo. */
export async function makeRealWorld(): Promise<RealWorld> {
  const receiver = await EffectReceiver.listen(() => 50);
  const models = createModelServer();
  const vendor = await listen(models);
  const server = await AppServer.prepare({
    assets: await buildPage(),
    config: {
      agent: { model: "demo/demo" },
      providers: {
        kit: {
          kind: "openai-chat",
          baseUrl: `${vendor.url}/v1`,
          models: [{ id: "gpt-4o", label: "Scripted" }],
        },
      },
      webhooks: { build: { url: receiver.url, label: "the build server" } },
    },
  });
  await server.start();
  return {
    url: server.url,
    person: (name, tier) => server.person(name, tier),
    newCode: () => server.ownerCode(),
    script: (markdown) => {
      models.reply({ text: [markdown] });
      return Promise.resolve({ model: "Scripted", prompt: "Say it." });
    },
    effects: () => receiver.total,
    kill: () => server.kill(),
    revive: () => server.start(),
    close: async () => {
      await server.remove();
      await vendor.close();
      receiver.close();
    },
  };
}
