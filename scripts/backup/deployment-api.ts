/** A deployment as somebody's program reaches it. */
export interface DeploymentApi {
  /** An answer that is not an error; undefined for one of these statuses. @throws naming status and message of any other. */
  ask(path: string, init?: RequestInit & { readonly absent?: readonly number[] }): Promise<Response | undefined>;
}

/**
 * Reaches a deployment over REST with an access token. The token comes from the environment: a command line is seen by
 * others, and a redirect could carry it elsewhere.
 * @throws when the address or the token is missing or unfit.
 */
export function deploymentApi(address: string, token: string | undefined): DeploymentApi {
  const { origin } = readAddress(address);
  if (token === undefined || token === "") {
    throw new Error("ALTHING_TOKEN is empty: set it to an access token of the deployment's sign-in provider.");
  }
  return {
    async ask(path, { absent = [], ...init } = {}) {
      const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
      const response = await fetch(`${origin}/api/v1${path}`, { ...init, headers, redirect: "manual" });
      if (response.ok) return response;
      if (absent.includes(response.status)) return undefined;
      throw new Error(`${origin} answered ${response.status} to ${path}: ${await messageOf(response)}`);
    },
  };
}

function readAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isHere = url?.protocol === "http:" && (url.hostname === "127.0.0.1" || url.hostname === "localhost");
  if (url && (url.protocol === "https:" || isHere)) return url;
  throw new Error(
    `--url is ${JSON.stringify(address)}; it must be the deployment's https address, for example https://chat.example.com (http only on this machine).`,
  );
}

async function messageOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { readonly error: { readonly message: string } }).error.message;
  } catch {
    return text.slice(0, 200);
  }
}
