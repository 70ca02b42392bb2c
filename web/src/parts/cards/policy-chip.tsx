import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Chat } from "../../app/chat.ts";
import { describeConstraint, policyOf } from "../../state/policy.ts";
import { Icon } from "../icons.tsx";
import { PolicyDialog } from "./policy-dialog.tsx";

/** Shows in the header that rules stand here, and opens them. Nothing where there are none. */
export function PolicyChip({ chat }: { readonly chat: Chat }): JSX.Element | null {
  const [isOpen, setOpen] = useState(false);
  const { constraints, allow } = policyOf(chat.transcript.view.value);
  const count = constraints.length + allow.length;
  if (count === 0 && !isOpen) return null;
  const words = count === 1 ? "1 rule" : `${count} rules`;
  const detail = [
    ...constraints.map((one) => `${describeConstraint(one)} (${one.text})`),
    ...allow.map(({ tool }) => `${tool}: allowed in advance`),
  ].join("\n");
  return (
    <>
      <button
        type="button"
        class="policy-chip"
        title={detail}
        aria-label={`${words} of this conversation`}
        onClick={() => setOpen(true)}
      >
        <Icon name="shield" size={16} />
        <span>{words}</span>
      </button>
      {isOpen ? <PolicyDialog chat={chat} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
