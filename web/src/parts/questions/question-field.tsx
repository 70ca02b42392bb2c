import type { JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import type { ShownOption, ShownQuestion } from "../../../../src/protocol/questions.ts";
import { type Draft, withChoice, withOther } from "../../state/questions.ts";
import { useAutosize } from "../composer/use-autosize.ts";

interface QuestionFieldProps {
  readonly question: ShownQuestion;
  readonly draft: Draft;
  readonly fault: string | undefined;
  /** One of several on its card: it can be left without an answer. */
  readonly canSkip: boolean;
  readonly disabled: boolean;
  readonly onDraft: (draft: Draft) => void;
}

/** One question with what can be answered to it. */
export function QuestionField(props: QuestionFieldProps): JSX.Element {
  const { question, draft, fault, canSkip, disabled, onDraft } = props;
  const name = useId();
  const isFree = question.options.length === 0;
  const takesWords = (isFree || draft.other) && !draft.none;
  return (
    <fieldset class="question" disabled={disabled} aria-describedby={fault === undefined ? undefined : `${name}-fault`}>
      <legend>
        <bdi>{question.text}</bdi>
        {question.multi && !isFree ? <span class="quiet"> Choose any number.</span> : null}
      </legend>
      {question.options.map((option) => (
        <OptionField
          key={option.label}
          name={name}
          option={option}
          multi={question.multi}
          isChosen={!draft.none && draft.choices.includes(option.label)}
          isFaulty={fault !== undefined}
          onChoose={(isChosen) => onDraft(withChoice(question, draft, option.label, isChosen))}
        />
      ))}
      {question.allowOther && !isFree ? (
        <OptionField
          name={name}
          option={{ label: "Something else" }}
          multi={question.multi}
          isChosen={!draft.none && draft.other}
          isFaulty={fault !== undefined}
          onChoose={(isChosen) => onDraft(withOther(question, draft, isChosen))}
        />
      ) : null}
      {takesWords ? (
        <WordsField
          text={draft.text}
          name={isFree ? `Your answer to: ${question.text}` : "Something else, in your words"}
          isFaulty={fault !== undefined}
          onText={(text) => onDraft({ ...draft, text })}
        />
      ) : null}
      {canSkip ? (
        <label class="question-skip">
          <input
            type="checkbox"
            checked={draft.none}
            onChange={(event) => onDraft({ ...draft, none: event.currentTarget.checked })}
          />
          No answer to this
        </label>
      ) : null}
      {fault === undefined ? null : (
        <p id={`${name}-fault`} class="problem">
          {fault}
        </p>
      )}
    </fieldset>
  );
}

interface OptionFieldProps {
  readonly name: string;
  readonly option: ShownOption;
  readonly multi: boolean;
  readonly isChosen: boolean;
  readonly isFaulty: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function OptionField({ name, option, multi, isChosen, isFaulty, onChoose }: OptionFieldProps): JSX.Element {
  return (
    <label class="question-option">
      <input
        type={multi ? "checkbox" : "radio"}
        name={name}
        checked={isChosen}
        aria-invalid={isFaulty}
        onChange={(event) => onChoose(event.currentTarget.checked)}
      />
      <span>
        <bdi>{option.label}</bdi>
        {option.description === undefined ? null : (
          <small>
            <bdi>{option.description}</bdi>
          </small>
        )}
      </span>
    </label>
  );
}

interface WordsFieldProps {
  readonly text: string;
  readonly name: string;
  readonly isFaulty: boolean;
  readonly onText: (text: string) => void;
}

function WordsField({ text, name, isFaulty, onText }: WordsFieldProps): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  useAutosize(field, text);
  return (
    <textarea
      ref={field}
      class="question-words"
      rows={2}
      value={text}
      aria-label={name}
      aria-invalid={isFaulty}
      onInput={(event) => onText(event.currentTarget.value)}
    />
  );
}
