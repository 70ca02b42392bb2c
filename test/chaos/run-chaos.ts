import { AppServer } from "../kit/app-server/app-server.ts";
import { WranglerServer } from "../kit/app-server/wrangler-server.ts";
import { EffectReceiver } from "../kit/effect-receiver.ts";
import { SeededRandom } from "../kit/random.ts";
import { Chaos, type ChaosReport } from "./chaos.ts";
import { PeopleChaos, type PeopleReport } from "./people-chaos.ts";

export interface ChaosRun {
  readonly kills: number;
  readonly seed: number;
  /** Under the real `wrangler dev` instead of Miniflare's API. */
  readonly wrangler: boolean;
  readonly say: (line: string) => void;
}

/** After a restart the answer must go on within this time of the server being up. */
const RESUME_WITHIN_MS = 1_000;

/** Starts a whole deployment with a receiver of its own, lets chaos loose on it, and takes everything down again. */
export async function runChaos({ kills, seed, wrangler, say }: ChaosRun): Promise<ChaosReport> {
  const random = new SeededRandom(seed);
  const receiver = await EffectReceiver.listen(() => random.between(0, 40));
  const config = { webhooks: { build: { url: receiver.url, label: "the build server" } } };
  const server = wrangler ? await WranglerServer.prepare({ config }) : await AppServer.prepare({ config });
  try {
    await server.start();
    const cookie = await server.signIn();
    return await Chaos.run({ kills, random, server, receiver, cookie, resumeWithinMs: RESUME_WITHIN_MS, say });
  } finally {
    await server.remove();
    receiver.close();
  }
}

/** As {@link runChaos}, with two people who decide about each other's calls. Under Miniflare, whose disk can be read. */
export async function runPeopleChaos({ kills, seed, say }: Omit<ChaosRun, "wrangler">): Promise<PeopleReport> {
  const random = new SeededRandom(seed);
  const receiver = await EffectReceiver.listen(() => random.between(0, 40));
  const server = await AppServer.prepare({
    config: { webhooks: { build: { url: receiver.url, label: "the build server" } } },
  });
  try {
    await server.start();
    return await PeopleChaos.run({ kills, random, server, receiver, say });
  } finally {
    await server.remove();
    receiver.close();
  }
}
