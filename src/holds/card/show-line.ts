import { cutText } from "../../lib/cut.ts";
import { escapeName, escapeText } from "./escape.ts";
import { remarkOnHosts } from "./host-for-card.ts";
import { largestFitting } from "./largest-fitting.ts";
import { cutRemark, jsonTextBytes, WHOLE_DIGEST } from "./show-json.ts";

/** A line for a card: escaped, at most `maxBytes` in JSON; a cut one names its full length and digest. */
export function showLine(text: string, maxBytes: number): { readonly text: string; readonly cut: boolean } {
  return fitLine(text, maxBytes, (part) => escapeText(part) + remarkOnHosts(part));
}

/** A tool's name for a card: look-alike letters are spelled out. */
export function showTool(name: string, maxBytes: number): string {
  return fitLine(name, maxBytes, escapeName).text;
}

/** As {@link showLine}, with its line breaks left as they are. */
export function showLines(text: string, maxBytes: number): { readonly text: string; readonly cut: boolean } {
  const showEach = (part: string) => escapeText(part) + remarkOnHosts(part);
  return fitLine(text, maxBytes, (part) => part.split("\n").map(showEach).join("\n"));
}

function fitLine(text: string, maxBytes: number, show: (part: string) => string) {
  const whole = show(text);
  const fits = (shown: string) => jsonTextBytes(shown) <= maxBytes;
  if (fits(whole)) return { text: whole, cut: false };
  const remark = cutRemark(text, WHOLE_DIGEST);
  const cut = largestFitting(0, Math.min(text.length, maxBytes), (units) => show(cutText(text, units)) + remark, fits);
  return { text: cut ?? remark, cut: true };
}
