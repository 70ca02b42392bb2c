/** Makes JSON unchangeable, in place; what is frozen already is taken to be so all the way down. Returns the value. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze<unknown>(inner);
  return value;
}
