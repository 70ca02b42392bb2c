import { htmlTokens } from "../../lib/html-tokens.ts";
import { MarkdownWriter, type PageText } from "./markdown-writer.ts";

/** HTML as Markdown of at most `maxUnits` UTF-16 units. Reads no further than it needs. */
export function readHtml(html: string, options: { readonly base: URL; readonly maxUnits: number }): PageText {
  const writer = new MarkdownWriter(options);
  for (const token of htmlTokens(html)) {
    if (writer.done) break;
    writer.take(token);
  }
  return writer.finish();
}
