import type { HostRead, Section } from "../../kernel/index.ts";
import { choosePersona } from "./choose-persona.ts";
import type { Persona } from "./persona.ts";

/**
 * The prompt of whichever persona answers, first, and its own sections.
 * @param kindOf which one answers now. One that does not exist says nothing: its turn is refused.
 */
export function personaSections(personas: readonly Persona[], kindOf: (read: HostRead) => string): Section[] {
  const chosen = (read: HostRead) => choosePersona(kindOf(read), personas);
  const own = personas.flatMap(({ kind, sections = [] }) =>
    sections.map(
      (section): Section => ({
        ...section,
        name: `${kind}.${section.name}`,
        render: (context) => (kindOf(context.read) === kind ? section.render(context) : ""),
      }),
    ),
  );
  const prompt: Section = {
    name: "persona",
    kind: "stable",
    render({ read }) {
      const persona = chosen(read);
      return persona.ok ? persona.value.prompt : "";
    },
  };
  return [prompt, ...own];
}
