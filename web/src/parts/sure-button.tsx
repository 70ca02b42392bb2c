import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface SureButtonProps {
  /** What the button does, in a word. */
  readonly label: string;
  /** Names for whom or what, where the label alone does not. */
  readonly about: string;
  /** What is asked before it is done. */
  readonly question: string;
  readonly isDangerous?: boolean;
  readonly act: () => Promise<void>;
}

/** A button that asks once more, in its own place, before it does something. */
export function SureButton({ label, about, question, isDangerous = false, act }: SureButtonProps): JSX.Element {
  const [step, setStep] = useState<"rest" | "asking" | "busy">("rest");
  const first = useRef<HTMLButtonElement>(null);
  const no = useRef<HTMLButtonElement>(null);
  const wasAsked = useRef(false);
  useLayoutEffect(() => {
    if (step === "asking") no.current?.focus();
    if (step === "rest" && wasAsked.current) first.current?.focus();
    wasAsked.current = step !== "rest";
  }, [step]);
  if (step === "rest") {
    return (
      <button
        ref={first}
        type="button"
        class={isDangerous ? "button small danger" : "button small"}
        aria-label={`${label}: ${about}`}
        onClick={() => setStep("asking")}
      >
        {label}
      </button>
    );
  }
  const go = async (): Promise<void> => {
    setStep("busy");
    await act();
    setStep("rest");
  };
  return (
    <div class="sure" role="group" aria-label={question}>
      <p>{question}</p>
      <button
        type="button"
        class={isDangerous ? "button small danger" : "button small primary"}
        disabled={step === "busy"}
        onClick={() => void go()}
      >
        {label}
      </button>
      <button ref={no} type="button" class="button small" disabled={step === "busy"} onClick={() => setStep("rest")}>
        Leave it
      </button>
    </div>
  );
}
