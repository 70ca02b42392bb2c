import type { ReportPort } from "../kernel/index.ts";

/** Writes the operator's lines as JSON, for the platform's own logs. Never message text, never a secret. */
export function reportFor(conversation: string): ReportPort {
  return {
    report: (event, facts) => console.log(JSON.stringify({ event, conversation, ...facts })),
  };
}
