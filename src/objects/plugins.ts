import { calculatorPlugin } from "../plugins/calculator/plugin.ts";
import { createClockPlugin } from "../plugins/clock/plugin.ts";
import { notesPlugin } from "../plugins/notes/plugin.ts";
import type { Plugin } from "../plugins/plugin.ts";
import { createWebPlugin } from "../plugins/web/plugin.ts";
import { createWebhookPlugin } from "../plugins/webhook/plugin.ts";
import type { Config } from "../protocol/config.ts";
import { DEMO_WEBHOOKS, withDemoReceiver } from "./demo-receiver.ts";

/** The features of every conversation. */
export function builtInPlugins(config: Config, platformFetch: typeof fetch): readonly Plugin[] {
  const targets = Object.keys(config.webhooks).length > 0 ? config.webhooks : DEMO_WEBHOOKS;
  return [
    createClockPlugin({ timeZone: config.timeZone }),
    calculatorPlugin,
    notesPlugin,
    createWebPlugin({ fetch: platformFetch }),
    createWebhookPlugin({ targets, fetch: withDemoReceiver(platformFetch) }),
  ];
}
