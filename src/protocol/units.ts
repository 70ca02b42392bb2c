import * as z from "zod";

/**
 * A text of at most `max` UTF-16 units, as the page counts. The library's own limit counts code points, so that it lets a
 * text of pairs through at twice the length. @param text what comes before the limits, a trim for one.
 */
export function unitsText(max: number, min = 0, text = z.string()): z.ZodString {
  const isWithin = (text: string) => text.length <= max;
  return text
    .min(min)
    .max(max)
    .refine(isWithin, { error: `Too long: the limit is ${max} UTF-16 units` });
}
