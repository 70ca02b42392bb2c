import * as z from "zod";
import { definePlugin } from "../../host/index.ts";
import { defineTool, type ToolResult } from "../../kernel/index.ts";
import { nearest } from "../../lib/nearest.ts";
import { renderList, renderMatches } from "./render.ts";
import { decideAdd, NOTES, searchNotes, withoutNote } from "./state.ts";

const MAX_QUERY_UNITS = 200;

const addNote = defineTool({
  name: "add_note",
  description: "Keeps a note in this conversation.",
  input: z.strictObject({ text: z.string().trim().min(1).describe("The note, at most 2,000 characters.") }),
  replay: "safe",
  async execute({ text }, context): Promise<ToolResult> {
    // The id comes from the call, and the time is kept, so that the same call run again finds its own note.
    const at = Number(context.memo("at", context.now()));
    const note = { id: `n${context.task}`, text, at };
    const decided = decideAdd(context.read(NOTES), note);
    if (!decided.ok) return { text: decided.error, isError: true, code: "limit" };
    context.update(NOTES, () => decided.value);
    return { text: `Note ${note.id} is kept: ${text}` };
  },
});

const searchTool = defineTool({
  name: "search_notes",
  description: "Finds the notes of this conversation that contain every word of a query.",
  input: z.strictObject({ query: z.string().trim().min(1).max(MAX_QUERY_UNITS) }),
  replay: "safe",
  async execute({ query }, context) {
    return { text: renderMatches(query, searchNotes(context.read(NOTES), query)) };
  },
});

const listNotes = defineTool({
  name: "list_notes",
  description: "Lists the notes of this conversation.",
  input: z.strictObject({}),
  replay: "safe",
  async execute(_input, context) {
    return { text: renderList(context.read(NOTES).items) };
  },
});

const deleteNote = defineTool({
  name: "delete_note",
  description: "Deletes a note of this conversation by its id.",
  input: z.strictObject({ id: z.string().trim().min(1).max(32).describe('For example "n12".') }),
  replay: "safe",
  async execute({ id }, context): Promise<ToolResult> {
    const { items } = context.read(NOTES);
    // Kept before deleting: run again after a crash, the call still knows that the note was there.
    const stood = context.memo(
      "stood",
      items.some((note) => note.id === id),
    );
    if (stood !== true)
      return unknownNote(
        id,
        items.map((note) => note.id),
      );
    context.update(NOTES, (state) => withoutNote(state, id));
    return { text: `Note ${id} is deleted.` };
  },
});

function unknownNote(id: string, known: readonly string[]): ToolResult {
  const guess = nearest(id, known);
  const remedy = guess === undefined ? "list_notes shows the ids." : `Did you mean ${guess}?`;
  return { text: `There is no note ${JSON.stringify(id)}. ${remedy}`, isError: true, code: "unknown_note" };
}

/** Notes kept in the conversation. */
export const notesPlugin = definePlugin({
  name: "notes",
  setup: () => ({
    tools: [addNote, searchTool, listNotes, deleteNote].map((tool) => ({ tool, tier: "member" })),
    namespaces: [NOTES],
  }),
});
