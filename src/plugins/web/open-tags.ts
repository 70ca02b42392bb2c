/** The tags open inside an element, innermost last. Every operation takes constant time on average. */
export class OpenTags {
  readonly #stack: string[] = [];
  readonly #counts = new Map<string, number>();

  push(tag: string): void {
    this.#stack.push(tag);
    this.#counts.set(tag, this.#count(tag) + 1);
  }

  /** Closes the innermost of this name and whatever is open inside it; false when there is none. */
  close(tag: string): boolean {
    if (this.#count(tag) === 0) return false;
    for (let top = this.#stack.pop(); top !== undefined; top = this.#stack.pop()) {
      this.#counts.set(top, this.#count(top) - 1);
      if (top === tag) break;
    }
    return true;
  }

  #count(tag: string): number {
    return this.#counts.get(tag) ?? 0;
  }
}
