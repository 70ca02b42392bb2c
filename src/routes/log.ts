/** Writes one line of JSON for the operator. Callers put in neither message text nor secrets. */
export function log(line: object): void {
  console.log(JSON.stringify(line));
}
