const MOST_ASCII = /[^\x20-\x7e]|["\\%]/g;

/**
 * A display name that can hold no line, no direction change and no path: control, format, private and unassigned
 * characters go, separators become spaces, slashes underscores.
 */
export function sanitiseFileName(name: string): string {
  const clean = name
    .replace(/[/\\]/g, "_")
    .replace(/\p{Z}/gu, " ")
    .replace(/\p{C}/gu, "")
    .replace(/ {2,}/g, " ")
    .trim();
  return /^[. _]*$/.test(clean) ? "file" : clean;
}

/** `Content-Disposition` for a download under this name: an ASCII form for old clients, the whole name beside it. */
export function attachmentNamed(name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${name.replace(MOST_ASCII, "_")}"; filename*=UTF-8''${encoded}`;
}
