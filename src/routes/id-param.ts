import { notFound } from "./refusal.ts";
import { idShape } from "./shapes.ts";

/**
 * The id of an entry or a task in a path.
 * @throws Refuse `not_found` when it is none.
 */
export function idParam(text: string): number {
  const id = idShape.safeParse(text);
  if (!id.success) throw notFound();
  return id.data;
}
