/**
 * Characters that a reader does not see but a model reads: controls (but tab and line feed), soft hyphen, zero-width
 * space, direction marks and overrides, invisible operators, byte order marks, tag characters, and the supplementary
 * variation selectors. Joiners and emoji variation selectors stay: scripts and emoji need them.
 */
const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- control characters are what this removes
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

/** The text without unseen characters, with line ends as line feeds and lone surrogates replaced. */
export function visibleText(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/g, "\n").replaceAll(UNSEEN, "");
}
