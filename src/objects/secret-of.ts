/** A secret of the deployment; blank ones count as not set. */
export function secretOf(env: object, name: string): string | undefined {
  const value: unknown = Reflect.get(env, name);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}
