import { ChatServer } from "../kit/chat-server/server.ts";
import { buildPage } from "./built-page.ts";
import type { PageWorld } from "./page-world.ts";

/** The mock server, with its levers. */
export interface MockWorld extends PageWorld {
  readonly server: ChatServer;
}

export async function makeMockWorld(): Promise<MockWorld> {
  const server = new ChatServer(await buildPage());
  const url = await server.listen();
  return {
    server,
    url,
    newCode: () => Promise.resolve(server.newCode()),
    script: (markdown) => Promise.resolve({ model: "Demo, brief", prompt: `Repeat exactly:\n${markdown}` }),
    effects: () =>
      [...server.house.rooms.values()].flatMap(({ turns }) => turns.ran).filter((call) => call.name === "send_webhook")
        .length,
    kill: () => Promise.resolve(server.kill()),
    revive: () => Promise.resolve(server.revive()),
    close: () => server.close(),
  };
}
