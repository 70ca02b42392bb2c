import type { Entry, ForkPage } from "../../kernel/index.ts";
import type { FileRef } from "../../protocol/message.ts";

/** Files copied for one page: each is two calls to R2, and an event may make only so many. */
const MAX_FILES_PER_PAGE = 10;

/** The page as far as its new files can be copied at once, and always an entry of it. */
export function cutPage(
  page: ForkPage,
  isHere: (file: string) => boolean,
): { readonly page: ForkPage; readonly files: readonly FileRef[] } {
  const files = new Map<string, FileRef>();
  for (const [n, entry] of page.entries.entries()) {
    const more = filesOf(entry).filter(({ id }) => !isHere(id) && !files.has(id));
    if (n > 0 && more.length > 0 && files.size + more.length > MAX_FILES_PER_PAGE) {
      return { page: { entries: page.entries.slice(0, n) }, files: [...files.values()] };
    }
    for (const file of more) files.set(file.id, file);
  }
  return { page, files: [...files.values()] };
}

function filesOf({ message }: Entry): readonly FileRef[] {
  if (!message || message.role === "system" || message.role === "assistant") return [];
  return message.content.flatMap((part) => (part.type === "file" ? [part.file] : []));
}
