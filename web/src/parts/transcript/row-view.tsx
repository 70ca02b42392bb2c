import { Component, type JSX } from "preact";
import { unreachable } from "../../../../src/lib/assert.ts";
import type { Chat } from "../../app/chat.ts";
import { formatDay } from "../../state/format.ts";
import type { Row } from "../../state/rows.ts";
import { HoldCardView } from "../cards/hold-card.tsx";
import { Note } from "../note.tsx";
import { QuestionCardView } from "../questions/question-card.tsx";
import { Answer } from "./answer.tsx";
import { DividerView } from "./divider-view.tsx";
import { UserMessage } from "./user-message.tsx";

interface RowViewProps {
  readonly row: Row;
  readonly chat: Chat;
  /** The last thing that was said, with nothing running. */
  readonly isLast: boolean;
  readonly nowMs: number;
}

/** One row. It is drawn again only when its row changed: a commit leaves the others alone. */
export class RowView extends Component<RowViewProps> {
  override shouldComponentUpdate(next: RowViewProps): boolean {
    const isDay = next.row.kind === "day" && next.nowMs !== this.props.nowMs;
    return next.row !== this.props.row || next.isLast !== this.props.isLast || isDay;
  }

  override render({ row, chat, isLast, nowMs }: RowViewProps): JSX.Element {
    switch (row.kind) {
      case "day":
        return (
          <div class="day" data-key={row.key}>
            <span>{formatDay(row.at, nowMs)}</span>
          </div>
        );
      case "user":
        return <UserMessage row={row} chat={chat} />;
      // One part for both, so that an answer is not drawn anew when it is committed.
      case "live":
      case "answer":
        return <Answer row={row} chat={chat} isLast={isLast} />;
      case "divider":
        return <DividerView row={row} chat={chat} drawRow={(left) => drawLeft(left, chat, nowMs)} />;
      case "note":
        return <Note row={row} />;
      case "card":
        return (
          <div class="loose-card" data-key={row.key}>
            <HoldCardView card={row.card} chat={chat} />
          </div>
        );
      case "question":
        return (
          <div class="loose-card" data-key={row.key}>
            <QuestionCardView card={row.card} chat={chat} />
          </div>
        );
      default:
        return unreachable(row);
    }
  }
}

/** A row of what was left behind: nothing follows it, whatever it is. */
function drawLeft(row: Row, chat: Chat, nowMs: number): JSX.Element {
  return <RowView key={row.key} row={row} chat={chat} isLast={false} nowMs={nowMs} />;
}
