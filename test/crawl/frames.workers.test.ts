import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clientFrame } from "../../src/protocol/frames.ts";
import { restoreClock } from "../kit/wall-clock.ts";
import { FRAMES, LOSSES, tryAfterLoss, tryInside } from "./frames.workers.ts";
import { listed } from "./listed.ts";
import { makeScene, type Scene } from "./scene.workers.ts";

let scene: Scene;

beforeAll(async () => {
  scene = await makeScene();
});
// Time passes and never goes back while the room lives.
afterAll(restoreClock);

describe("every frame", () => {
  it("[W-60] has its place in the crawl, and the crawl knows no other", () => {
    const known = clientFrame.options.map(({ shape }) => shape.type.value);
    expect(Object.keys(FRAMES).sort()).toEqual([...known].sort());
  });

  it.each([
    ["stop", () => FRAMES.stop(scene.room)],
    ["withdraw", () => FRAMES.withdraw(scene.room)],
    ["send that goes back", () => ({ ...FRAMES.send(scene.room), rewindTo: 0 })],
  ] as const)("[W-61] %s of another person of the room is refused, and their socket stays", async (_name, frame) => {
    expect(await listed(tryInside(scene, frame()))).toEqual([]);
  });

  it.each(LOSSES.map((loss) => [loss.name, loss] as const))(
    "[W-60] of somebody who was %s changes and tells nothing, and ends the socket",
    async (_name, loss) => {
      expect(await listed(tryAfterLoss(scene, loss))).toEqual([]);
    },
  );
});
