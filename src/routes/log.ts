/** How much a line matters: `npm start` shows errors alone. */
export type LogLevel = "info" | "error";

/** Writes one line of JSON for the operator. Callers put in neither message text nor secrets. */
export function log(level: LogLevel, line: object): void {
  const text = JSON.stringify({ level, ...line });
  if (level === "error") console.error(text);
  else console.log(text);
}
