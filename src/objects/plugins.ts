import type { Plugin } from "../host/index.ts";
import { calculatorPlugin } from "../plugins/calculator/plugin.ts";
import { clockPlugin } from "../plugins/clock/plugin.ts";
import { notesPlugin } from "../plugins/notes/plugin.ts";
import { personasPlugin } from "../plugins/personas/plugin.ts";
import { questionsPlugin } from "../plugins/questions/plugin.ts";
import { subagentsPlugin } from "../plugins/subagents/plugin.ts";
import { createWebPlugin } from "../plugins/web/plugin.ts";
import { createWebhookPlugin } from "../plugins/webhook/plugin.ts";
import { webchatPlugin } from "../surfaces/webchat/plugin.ts";

/** The features of every conversation, in the order in which they count. Each can be switched off in `althing.config.ts`. */
export const BUILT_IN: readonly Plugin[] = [
  personasPlugin,
  webchatPlugin,
  clockPlugin,
  calculatorPlugin,
  notesPlugin,
  questionsPlugin,
  createWebPlugin(),
  subagentsPlugin,
  createWebhookPlugin(),
];
