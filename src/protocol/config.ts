import * as z from "zod";

/** Prices in US dollars per million tokens. Absent: the cost of this model is not shown. */
const price = z.strictObject({
  input: z.number().nonnegative(),
  output: z.number().nonnegative(),
  cachedRead: z.number().nonnegative().optional(),
  cachedWrite: z.number().nonnegative().optional(),
});

const model = z.strictObject({
  id: z.string().min(1),
  label: z.string().min(1).optional(),
  contextTokens: z.number().int().positive().default(200_000),
  maxOutputTokens: z.number().int().positive().default(16_000),
  thinking: z.boolean().default(false),
  images: z.boolean().default(false),
  price: price.optional(),
});

const provider = z.strictObject({
  /** The wire that the provider speaks. */
  kind: z.enum(["anthropic", "openai-responses", "openai-chat", "workers-ai"]),
  /** Name of the secret that holds the key. Absent: no key is sent (a local Ollama or vLLM). */
  keyFrom: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/)
    .optional(),
  baseUrl: z.url().optional(),
  models: z.array(model).min(1),
});

const webhook = z.strictObject({
  url: z.url(),
  /** What people read on the card, e.g. "the build server". */
  label: z.string().min(1).max(80),
});

/** The schema of `althing.config.ts`. Unknown keys are refused. */
export const configSchema = z.strictObject({
  /** Shown on the page. */
  name: z.string().min(1).max(40).default("Althing"),
  agent: z
    .strictObject({
      persona: z.string().min(1).max(20_000).optional(),
      /** `<provider>/<model>`; absent: the first model whose key is set, else the demo model. */
      model: z.string().optional(),
      thinking: z.enum(["off", "low", "medium", "high"]).default("off"),
    })
    .prefault({}),
  providers: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), provider).default({}),
  webhooks: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), webhook).default({}),
  /** Built-in features by name, switched on or off. Absent: on. */
  features: z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), z.boolean()).default({}),
  /** Hosts that this deployment answers to, besides loopback in development. Anything else gets 421. */
  allowedHosts: z.array(z.string().min(1)).default([]),
  timeZone: z.string().default("UTC"),
});

export type Config = z.output<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;
export type ProviderConfig = Config["providers"][string];
export type ModelConfig = ProviderConfig["models"][number];
