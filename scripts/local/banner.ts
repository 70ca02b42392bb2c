/** What a person needs to know once the server runs. */
export function renderBanner(facts: {
  readonly url: string;
  readonly link: string;
  /** Names of the secrets that `.dev.vars` may set, and which of them are set. */
  readonly keys: readonly { readonly name: string; readonly isSet: boolean }[];
}): string {
  const { url, link, keys } = facts;
  return [
    "",
    `  Althing runs at ${url}`,
    "",
    "  Sign in with this link. It works once, for 15 minutes:",
    `  ${link}`,
    "",
    ...modelLines(keys),
    "",
    "  npm run owner:code makes another link. Ctrl-C stops the server.",
    "",
  ].join("\n");
}

function modelLines(keys: readonly { readonly name: string; readonly isSet: boolean }[]): string[] {
  const set = keys.filter(({ isSet }) => isSet).map(({ name }) => name);
  if (set.length > 0) return [`  Models: those of ${set.join(", ")}, and the built-in demo model.`];
  const [first] = keys;
  if (first === undefined) return ["  Models are set in althing.config.ts; the built-in demo model needs no key."];
  return [
    "  No key is set, so the built-in demo model answers. It really calls tools, but knows only simple requests.",
    `  For a real model write ${first.name}=… into the file .dev.vars and start again.`,
  ];
}
