import type { JsonObject } from "../../lib/json.ts";

/** What the demo model asks when it is told to ask something. */
export const ONE_QUESTION: JsonObject = {
  question: "Where shall we go this weekend?",
  options: [
    { label: "To the sea", description: "two hours by train" },
    { label: "Into the mountains", description: "bring good shoes" },
    { label: "Nowhere", description: "a book and a sofa" },
  ],
  allow_other: true,
};

/** One question of each form. */
export const SEVERAL_QUESTIONS: JsonObject = {
  questions: [
    { question: "How do you like your answers?", options: [{ label: "Short" }, { label: "Thorough" }] },
    {
      question: "Which languages may they be in?",
      options: [{ label: "English" }, { label: "German" }, { label: "Icelandic" }],
      multi: true,
    },
    { question: "What shall I call you?" },
  ],
};
