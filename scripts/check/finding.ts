/** One thing that is wrong: where, and what to do about it. */
export interface Finding {
  /** Path from the project's folder, with `:line` where one is known. */
  readonly where: string;
  readonly what: string;
}

export function renderFinding({ where, what }: Finding): string {
  return `${where}: ${what}`;
}
