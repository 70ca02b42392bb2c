/** An identity as people can read it: who vouches for it, and as whom. */
export interface IdentityWords {
  readonly provider: string;
  readonly subject: string;
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ["github", "GitHub"],
  ["discord", "Discord"],
]);

/** Reads `<provider>:<subject>`; of OpenID the provider is the issuer's host. */
export function readIdentity(id: string): IdentityWords {
  const [provider = "", ...rest] = id.split(":");
  if (provider === "setup") return { provider: "This server", subject: "the owner's one-time code" };
  if (provider !== "oidc") return { provider: NAMES.get(provider) ?? provider, subject: rest.join(":") };
  const [issuer = "", ...subject] = rest;
  return { provider: hostOf(issuer) ?? "OpenID", subject: subject.join(":") };
}

/** In one line, for questions and names of buttons. */
export function identityLine(id: string, display: string): string {
  const { provider, subject } = readIdentity(id);
  return display === "" ? `${provider}, ${subject}` : `${display} (${provider}, ${subject})`;
}

function hostOf(issuer: string): string | undefined {
  try {
    return URL.parse(atob(issuer.replaceAll("-", "+").replaceAll("_", "/")))?.host;
  } catch {
    return undefined;
  }
}
