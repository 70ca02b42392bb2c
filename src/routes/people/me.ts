import { OWNED_PERSONA } from "../../objects/conversation/turn-settings.ts";
import { modelChoices } from "../../objects/deployed-models.ts";
import { MAX_FILE_BYTES, MAX_FILES_PER_MESSAGE, MAX_TEXT_UNITS, MAX_TITLE_UNITS } from "../../protocol/limits.ts";
import type { Me } from "../../protocol/rest.ts";
import { json } from "../answers.ts";
import { signedInRoute } from "../route.ts";
import { meShape } from "../shapes.ts";

export const me = signedInRoute({
  method: "GET",
  path: "/api/v1/me",
  summary: "Who is signed in, the models and personas to choose from, and the limits.",
  answers: { 200: meShape },
  async handle({ deps, env, person }) {
    const host = deps.host(env);
    const { choices, defaultModel } = modelChoices(deps.config, env, host);
    const personas = host.personas.filter(({ kind }) => kind !== OWNED_PERSONA);
    const { principalId: id, name, tier, otherIds } = person;
    const answer: Me = {
      principal: { id, name, tier, ...(otherIds && { formerly: otherIds.map((other) => other.id) }) },
      models: choices,
      defaultModel,
      personas: personas.map(({ kind, label }) => ({ kind, label })),
      defaultPersona: deps.config.agent.kind,
      limits: {
        textUnits: MAX_TEXT_UNITS,
        filesPerMessage: MAX_FILES_PER_MESSAGE,
        fileBytes: MAX_FILE_BYTES,
        titleUnits: MAX_TITLE_UNITS,
      },
    };
    return json(answer);
  },
});
