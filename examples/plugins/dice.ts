import * as z from "zod";
import { definePlugin, type PluginParts, type Services, type SetupContext } from "../../src/host/index.ts";
import { defineNamespace, defineTool, type Tool } from "../../src/kernel/index.ts";
import { CUP } from "./cup.ts";

/** State that a conversation keeps for this plugin. `rewindable`: going back takes it back too. Clients see what `view` gives. */
export const ROLLS = defineNamespace({
  name: "dice",
  rewindable: { last: [] as readonly number[] },
  view: ({ last }) => ({ last }),
});

/**
 * A tool, a namespace, a section of the prompt, a rule that holds calls, and a handler. `setup` assembles them from what
 * the host gives and asks nothing outside.
 */
export const dicePlugin = definePlugin({
  name: "dice",
  requires: [CUP],
  setup: ({ services }: SetupContext): PluginParts => ({
    tools: [{ tool: rollTool(services), tier: "member" }],
    namespaces: [ROLLS],
    sections: [{ name: "dice", kind: "stable", render: () => "When somebody wants chance, roll dice." }],
    holdRules: [
      // Many dice wait for a person; a few do not.
      ({ tool, input }) => {
        const { count } = input as { readonly count?: number };
        return tool === "roll_dice" && (count ?? 1) > 10 ? { text: `Roll ${count} dice` } : undefined;
      },
    ],
    hooks: [
      {
        namespace: ROLLS,
        hooks: {
          afterTool: (call, result) =>
            Promise.resolve(
              call.tool.name === "roll_dice" ? { ...result, text: `${result.text} (fairly)` } : undefined,
            ),
        },
      },
    ],
  }),
});

function rollTool(services: Services): Tool {
  const cup = services.get(CUP);
  return defineTool({
    name: "roll_dice",
    description: "Rolls dice and tells what they show.",
    input: z.strictObject({ sides: z.number().int().min(2).max(100), count: z.number().int().min(1).max(100) }),
    replay: "safe",
    async execute({ sides, count }, context) {
      // Kept before it is told: the same call, run again after a crash, shows the same dice.
      const shown = context.memo(
        "shown",
        Array.from({ length: count }, () => cup.shake(sides)),
      );
      context.update(ROLLS, () => ({ last: shown as number[] }));
      return { text: `The dice show ${(shown as number[]).join(", ")}.` };
    },
  });
}
