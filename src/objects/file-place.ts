/** Where a conversation's file lies in R2. `sub:` conversations keep their own beside those of people's. */
export function filePlace(conversation: string, file: string): string {
  return `files/${conversation.startsWith("web:") ? conversation.slice("web:".length) : conversation}/${file}`;
}
