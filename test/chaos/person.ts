import type { KillableServer } from "./chaos.ts";

/** Somebody signed in, as they reach a server over REST that may die at any moment. */
export class Person {
  readonly name: string;
  readonly principalId: string;
  readonly cookie: string;
  readonly #server: KillableServer;
  /** Answers that a living server may never give. */
  readonly failures: string[] = [];

  constructor(server: KillableServer, person: { name: string; principalId: string; cookie: string }) {
    this.#server = server;
    this.name = person.name;
    this.principalId = person.principalId;
    this.cookie = person.cookie;
  }

  get url(): string {
    return this.#server.url;
  }

  /** Posts JSON. Returns status and body; status 0: the connection broke, so nobody knows. */
  async post(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
    return await this.#ask(path, { method: "POST", body: JSON.stringify(body) });
  }

  /** What a GET answers. @throws when it is refused. */
  async read(path: string): Promise<string> {
    const { status, text } = await this.#ask(path, {});
    if (status !== 200) throw new Error(`${this.name} got ${status} for ${path}: ${text}`);
    return text;
  }

  async #ask(path: string, init: RequestInit): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { cookie: this.cookie, origin: this.url, "content-type": "application/json" };
    const answer = await fetch(`${this.url}/api/v1${path}`, { ...init, headers })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch((error: unknown) => ({ status: 0, text: String(error) }));
    if (answer.status === 500) this.failures.push(`${this.name} got 500 for ${path}: ${answer.text}`);
    return answer;
  }
}
