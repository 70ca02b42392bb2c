import * as z from "zod";
import { priceSchema, spendingSchema, turnLimitsSchema } from "./spending.ts";

const model = z.strictObject({
  id: z.string().min(1),
  label: z.string().min(1).optional(),
  contextTokens: z.number().int().positive().default(200_000),
  maxOutputTokens: z.number().int().positive().default(16_000),
  thinking: z.boolean().default(false),
  images: z.boolean().default(false),
  /** Absent: `spending.unpriced`, or nothing. */
  price: priceSchema.optional(),
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

const configName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);

const client = {
  clientId: z.string().min(1).max(512),
  /** Name of the secret that holds the client's secret. */
  secretFrom: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  /** What the button says; default: the name. */
  label: z.string().min(1).max(40).optional(),
};

/** Access tokens of a provider, as programs bring them. A token needs each of `scope` and `role` that is named. */
const api = z.strictObject({
  /** What `aud` of a token must name: this deployment as the provider knows it, never the sign-in's own client. */
  audience: z.string().min(1).max(512),
  scope: z
    .string()
    .regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/)
    .optional(),
  /** One of the claim `roles`. */
  role: z.string().min(1).max(200).optional(),
});

const signInProvider = z.discriminatedUnion("kind", [
  /** Any provider that OpenID Connect Discovery finds. */
  z.strictObject({ kind: z.literal("oidc"), issuer: z.url(), api: api.optional(), ...client }),
  z.strictObject({ kind: z.literal("github"), ...client }),
  z.strictObject({ kind: z.literal("discord"), ...client }),
]);

const people = z.strictObject({
  /**
   * What becomes of a sign-in that is linked to nobody: refused (`closed`); admitted with an owner's invitation
   * (`invite`); admitted as a guest or a member, an invitation giving the tier that it names.
   */
  provisioning: z.enum(["closed", "invite", "guest", "member"]).default("closed"),
  /** Identities whose people are owners, e.g. `github:583231`. Taking one out ends that, for all but the last owner. */
  owners: z
    .array(z.string().regex(/^(github|discord|oidc):\S{1,400}$/))
    .max(20)
    .default([]),
});

/** Calls of one tool; with `args`, only those that have each of these arguments with exactly this value. */
const calls = {
  tool: z.string().min(1).max(64),
  args: z.record(z.string(), z.json()).optional(),
};

const policy = z.strictObject({
  /** Calls that never run, whoever approves. `reason` is told to the model. */
  deny: z
    .array(z.strictObject({ ...calls, reason: z.string().min(1).max(300) }))
    .max(50)
    .default([]),
  /** Calls that wait for somebody of `minTier` or above, also where nothing else holds them. */
  ask: z
    .array(z.strictObject({ ...calls, minTier: z.enum(["member", "admin", "owner"]).default("member") }))
    .max(50)
    .default([]),
  /** Where no card can be shown: how sure the judge has to be that a message means yes or no. */
  messageConfidence: z.number().min(0.5).max(1).default(0.9),
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
      /** Kind of the persona that answers where a conversation has chosen none. `persona` is the prompt of `assistant`. */
      kind: configName.default("assistant"),
    })
    .prefault({}),
  providers: z.record(configName, provider).default({}),
  webhooks: z.record(configName, webhook).default({}),
  /** Built-in features by name, switched on or off. Absent: on. */
  features: z.record(configName, z.boolean()).default({}),
  /** Providers that people sign in with, besides the owner code. */
  signIn: z.record(configName, signInProvider).default({}),
  people: people.prefault({}),
  /** Which tool calls are forbidden, and which wait for a person besides those that do anyway. */
  policy: policy.prefault({}),
  /** What may be spent on models. */
  spending: spendingSchema.prefault({}),
  /** How many turns one person may have. */
  turns: turnLimitsSchema.prefault({}),
  /** Hosts that this deployment answers to, besides loopback in development. Anything else gets 421. */
  allowedHosts: z.array(z.string().min(1)).default([]),
  timeZone: z.string().default("UTC"),
});

export type Config = z.output<typeof configSchema>;
export type ConfigInput = z.input<typeof configSchema>;
export type SignInConfig = Config["signIn"][string];
export type TokenConfig = z.output<typeof api>;
export type Provisioning = Config["people"]["provisioning"];
export type ProviderConfig = Config["providers"][string];
export type ModelConfig = ProviderConfig["models"][number];
