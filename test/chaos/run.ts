import { parseArgs } from "node:util";
import { AppServer } from "../kit/app-server/app-server.ts";
import { WranglerServer } from "../kit/app-server/wrangler-server.ts";
import { EffectReceiver } from "../kit/effect-receiver.ts";
import { SeededRandom } from "../kit/random.ts";
import { Chaos, type ChaosReport } from "./chaos.ts";

/** `npm run chaos -- --kills 100 [--seed 7] [--wrangler]`: kills the server at random moments while a client talks. */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    wrangler: { type: "boolean", default: false },
  },
});

const report = await runChaos({ kills: Number(values.kills), seed: Number(values.seed), wrangler: values.wrangler });
console.log(JSON.stringify(report, undefined, 2));
console.log(`seed ${values.seed}: ${report.kills} kills, ${report.violations.length} violations`);
process.exit(report.violations.length > 0 ? 1 : 0);

async function runChaos(options: {
  readonly kills: number;
  readonly seed: number;
  readonly wrangler: boolean;
}): Promise<ChaosReport> {
  const random = new SeededRandom(options.seed);
  const receiver = await EffectReceiver.listen(() => random.between(0, 40));
  const config = { webhooks: { build: { url: receiver.url, label: "the build server" } } };
  const server = options.wrangler ? await WranglerServer.prepare({ config }) : await AppServer.prepare({ config });
  await server.start();
  try {
    const cookie = await server.signIn();
    const resumeWithinMs = 1_000;
    return await Chaos.run({
      kills: options.kills,
      random,
      server,
      receiver,
      cookie,
      resumeWithinMs,
      say: console.log,
    });
  } finally {
    await server.kill();
    receiver.close();
  }
}
