/** A browser as far as redirects and cookies go. Cookies are kept by host and port, as no two servers here share any. */
export class BrowserJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Asks for one address and follows nothing. */
  async get(url: string): Promise<Response> {
    return await this.#fetch(url, {});
  }

  async post(url: string, json: object): Promise<Response> {
    const headers = { "content-type": "application/json", origin: new URL(url).origin };
    return await this.#fetch(url, { method: "POST", headers, body: JSON.stringify(json) });
  }

  /** A change without a body. */
  async send(method: "DELETE", url: string): Promise<Response> {
    return await this.#fetch(url, { method, headers: { origin: new URL(url).origin } });
  }

  /** Follows redirects until one leads to what `isThere` accepts, and returns that address without asking for it. */
  async follow(url: string, isThere: (url: URL) => boolean): Promise<URL> {
    let at = new URL(url);
    for (let i = 0; i < 12; i++) {
      const answer = await this.get(at.href);
      const location = answer.headers.get("location");
      if (location === null) throw new Error(`${at.pathname} answered ${answer.status}: ${await answer.text()}`);
      at = new URL(location, at);
      if (isThere(at)) return at;
    }
    throw new Error("redirected too often");
  }

  /** A browser with the same cookies. */
  copy(): BrowserJar {
    const copy = new BrowserJar();
    for (const [host, cookies] of this.#cookies) copy.#cookies.set(host, new Map(cookies));
    return copy;
  }

  /** Takes over one cookie of another browser. */
  take(from: BrowserJar, url: string, name: string): void {
    const { host } = new URL(url);
    const value = from.#cookies.get(host)?.get(name);
    if (value === undefined) throw new Error(`the other browser has no cookie ${name}`);
    this.#cookies.set(host, (this.#cookies.get(host) ?? new Map<string, string>()).set(name, value));
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const { host } = new URL(url);
    const cookies = this.#cookies.get(host) ?? new Map<string, string>();
    this.#cookies.set(host, cookies);
    const headers = new Headers(init.headers);
    if (cookies.size > 0) headers.set("cookie", Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "));
    const answer = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const isGone = value === "" || /max-age=0/i.test(line);
      if (isGone) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
}
