import { definePlugin, type PluginRequest, startBackground } from "../../src/host/index.ts";
import { defineNamespace } from "../../src/kernel/index.ts";

/** What a conversation keeps for this plugin. */
const TURNS = defineNamespace({ name: "scores", sticky: { turns: 0 } });

/** A turn of each so many is followed by one that nobody asked for. */
const EVERY = 10;

/**
 * A migration with its place in the ledger, a route, an event, a claim that keeps silent at night, and a background turn
 * that is ordered in the commit which ends another one.
 */
export const scoresPlugin = definePlugin({
  name: "scores",
  migrations: [
    {
      id: "0001_scores",
      when: "once",
      sql: "CREATE TABLE scores (game TEXT PRIMARY KEY, best INTEGER NOT NULL) STRICT",
    },
  ],
  setup: ({ log }) => ({
    namespaces: [TURNS],
    hooks: [
      {
        namespace: TURNS,
        hooks: {
          turnEnded(tx) {
            const turns = tx.get(TURNS).turns + 1;
            tx.set(TURNS, { turns });
            if (turns % EVERY !== 0) return;
            const key = `scores:${turns}`;
            startBackground(tx, { target: "web", author: "p_judge", tier: "member", prompt: "Tell who leads.", key });
          },
        },
      },
    ],
    claims: [
      {
        name: "scores-closed",
        surface: "web",
        priority: 10,
        owns: ({ id }) => id.startsWith("closed-"),
        admit: () => ({ kind: "drop", reason: "The scoreboard is closed." }),
      },
    ],
    events: { turnEnded: ({ conversation, outcome }) => log("scores.turn", { conversation, outcome }) },
    routes: [{ method: "GET", path: "/best/:game", tier: "member", handle: best }],
  }),
});

/** Told from nothing but the request, for the sake of the example. */
async function best({ params, principalId }: PluginRequest): Promise<Response> {
  return Response.json({ game: params["game"], asks: principalId });
}
