import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { AllowRuleView } from "../../../../src/protocol/view.ts";
import type { Chat } from "../../app/chat.ts";
import { formatClock, formatDay, formatRelative } from "../../state/format.ts";
import { describeArguments, describeConstraint, policyOf } from "../../state/policy.ts";
import { PanelDialog } from "../panel-dialog.tsx";
import { useNow } from "../use-app.ts";
import { ConstraintForm } from "./constraint-form.tsx";

/** The rules of a conversation: what always waits or never runs, and what runs without being asked about. */
export function PolicyDialog({ chat, onClose }: { readonly chat: Chat; readonly onClose: () => void }): JSX.Element {
  const { constraints, allow } = policyOf(chat.transcript.view.value);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const now = useNow(60_000);
  const told = async (refusal: Promise<string | undefined>): Promise<void> => setProblem(await refusal);
  return (
    <PanelDialog title="Rules of this conversation" className="policy" problem={problem} onClose={onClose}>
      <p class="quiet">The server enforces them, whatever is said or summarised here.</p>
      <h3>Standing constraints</h3>
      {constraints.length === 0 ? <p>None.</p> : null}
      <ul class="rules">
        {constraints.map((constraint) => (
          <Rule
            key={constraint.id}
            action={{ name: "Remove", onPick: () => void told(chat.policy.unconstrain(constraint.id)) }}
            label={describeConstraint(constraint)}
          >
            <p>
              <bdi>{describeConstraint(constraint)}</bdi>
            </p>
            <p class="quiet">
              “<bdi>{constraint.text}</bdi>” · <bdi>{constraint.by}</bdi>, {formatRelative(constraint.at, now)}
            </p>
          </Rule>
        ))}
      </ul>
      <ConstraintForm chat={chat} />
      <h3>Always allowed</h3>
      {allow.length === 0 ? <p>Nothing. Calls can be allowed in advance where one is approved.</p> : null}
      <ul class="rules">
        {allow.map((rule) => (
          <AllowedCalls key={rule.id} rule={rule} now={now} onRevoke={() => void told(chat.policy.revoke(rule.id))} />
        ))}
      </ul>
    </PanelDialog>
  );
}

interface AllowedCallsProps {
  readonly rule: AllowRuleView;
  readonly now: number;
  readonly onRevoke: () => void;
}

function AllowedCalls({ rule, now, onRevoke }: AllowedCallsProps): JSX.Element {
  return (
    <Rule action={{ name: "Revoke", onPick: onRevoke }} label={`${rule.tool}, ${describeArguments(rule)}`}>
      <p>
        <code>{rule.tool}</code> <bdi>{describeArguments(rule)}</bdi>
        {rule.target === null ? null : (
          <>
            {" "}
            → <bdi>{rule.target}</bdi>
          </>
        )}
      </p>
      <p class="quiet">
        Calls of <bdi>{rule.speaker}</bdi>, allowed by <bdi>{rule.by}</bdi> until {formatDay(rule.expiresAt, now)}{" "}
        {formatClock(rule.expiresAt)} · {usesOf(rule, now)}
      </p>
    </Rule>
  );
}

interface RuleProps {
  readonly children: JSX.Element | readonly JSX.Element[];
  readonly action: { readonly name: string; readonly onPick: () => void };
  /** Names the rule where the button alone would not tell which. */
  readonly label: string;
}

function Rule({ children, action, label }: RuleProps): JSX.Element {
  return (
    <li class="rule">
      <div>{children}</div>
      <button type="button" class="button" aria-label={`${action.name}: ${label}`} onClick={action.onPick}>
        {action.name}
      </button>
    </li>
  );
}

function usesOf(
  { uses, lastUsedAt }: { readonly uses: number; readonly lastUsedAt: number | null },
  now: number,
): string {
  if (lastUsedAt === null) return "not used yet";
  return `used ${uses === 1 ? "once" : `${uses} times`}, last ${formatRelative(lastUsedAt, now)}`;
}
