import { budgetOf } from "../../objects/budget/budget-rpc.ts";
import { principalOf } from "../../objects/principal/principal-rpc.ts";
import { tierAtLeast } from "../../people/facts.ts";
import { deploymentCaps } from "../../people/wallet/caps.ts";
import { readNames } from "../../store/people.ts";
import { json } from "../answers.ts";
import { Refuse } from "../refusal.ts";
import { signedInRoute } from "../route.ts";
import { allSpendingShape, spendingShape } from "../shapes.ts";

export const ownSpending = signedInRoute({
  method: "GET",
  path: "/api/v1/me/spending",
  summary: "What one spent on models today and this month, in millionths of a US dollar, and the caps.",
  answers: { 200: spendingShape },
  async handle({ env, person }) {
    return json(await principalOf(env, person.principalId).spending(person.tier));
  },
});

export const allSpending = signedInRoute({
  method: "GET",
  path: "/api/v1/spending",
  summary: "What each person spent on models as last told, for owners: at most a lease or 10 idle minutes ago.",
  answers: { 200: allSpendingShape },
  async handle(call) {
    const { db, deps, env, person } = call;
    if (!tierAtLeast(person.tier, "owner")) {
      throw new Refuse({ code: "forbidden", message: "Only owners of this deployment see what everybody spends." });
    }
    const { day, people } = await budgetOf(env).spent();
    const names = await readNames(
      db,
      people.slice(0, MAX_SHOWN).map(({ principalId }) => principalId),
    );
    const shown = people.slice(0, MAX_SHOWN).map((one) => ({ ...one, name: names.get(one.principalId) ?? "" }));
    const total = (of: "today" | "month") => people.reduce((sum, one) => sum + one[of], 0);
    const caps = deploymentCaps(deps.config.spending);
    return json({ day, today: total("today"), month: total("month"), caps, people: shown });
  },
});

/** People named one by one; the sums are of all. */
const MAX_SHOWN = 90;
