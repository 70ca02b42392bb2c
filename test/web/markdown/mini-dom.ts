/** The few DOM calls that the Markdown renderer makes, so that its rules can be tested on Node. */

interface Owner {
  createElement(tag: string): FakeElement;
  createTextNode(text: string): FakeText;
}

const OWNER: Owner = {
  createElement: (tag) => new FakeElement(tag),
  createTextNode: (text) => new FakeText(text),
};

class FakeNode {
  parentElement: FakeElement | null = null;
  readonly ownerDocument = OWNER;

  before(...nodes: readonly FakeNode[]): void {
    this.#insert(nodes, 0);
  }

  after(...nodes: readonly FakeNode[]): void {
    this.#insert(nodes, 1);
  }

  remove(): void {
    const siblings = this.parentElement?.childNodes ?? [];
    const index = siblings.indexOf(this);
    if (index >= 0) siblings.splice(index, 1);
    this.parentElement = null;
  }

  #insert(nodes: readonly FakeNode[], offset: number): void {
    const parent = this.parentElement;
    if (parent === null) throw new Error("mini-dom: the node has no parent");
    for (const node of nodes) node.remove();
    parent.childNodes.splice(parent.childNodes.indexOf(this) + offset, 0, ...nodes);
    for (const node of nodes) node.parentElement = parent;
  }
}

class FakeText extends FakeNode {
  readonly nodeType = 3;
  textContent: string;

  constructor(text: string) {
    super();
    this.textContent = text;
  }

  appendData(text: string): void {
    this.textContent += text;
  }
}

class FakeElement extends FakeNode {
  readonly nodeType = 1;
  readonly tagName: string;
  readonly childNodes: FakeNode[] = [];
  readonly attributes = new Map<string, string>();
  readonly dataset: Record<string, string> = {};
  className = "";
  tabIndex = -1;
  readonly classList = { add: (name: string) => void (this.className = `${this.className} ${name}`.trim()) };

  constructor(tag: string) {
    super();
    this.tagName = tag.toUpperCase();
  }

  get children(): FakeElement[] {
    return this.childNodes.filter((node) => node instanceof FakeElement);
  }

  get lastChild(): FakeNode | null {
    return this.childNodes.at(-1) ?? null;
  }

  get textContent(): string {
    return this.childNodes.map((node) => (node as FakeText | FakeElement).textContent).join("");
  }

  set textContent(text: string) {
    this.replaceChildren();
    this.appendChild(OWNER.createTextNode(text));
  }

  appendChild<T extends FakeNode>(node: T): T {
    node.remove();
    this.childNodes.push(node);
    node.parentElement = this;
    return node;
  }

  replaceChildren(): void {
    for (const node of this.childNodes.toReversed()) node.remove();
  }

  setAttribute(name: string, value: string): void {
    this.attributes.set(name, value);
  }

  closest(tag: string): FakeElement | null {
    return this.tagName === tag.toUpperCase() ? this : (this.parentElement?.closest(tag) ?? null);
  }

  /** Knows "a b": the first `b` inside the first `a`. */
  querySelector(selector: string): FakeElement | null {
    return selector.split(" ").reduce<FakeElement | null>((from, tag) => from?.find(tag.toUpperCase()) ?? null, this);
  }

  find(tag: string): FakeElement | undefined {
    for (const child of this.children) {
      const found = child.tagName === tag ? child : child.find(tag);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** A fresh root, typed as the element that the renderer expects. */
export function makeRoot(): HTMLElement {
  return new FakeElement("div") as unknown as HTMLElement;
}

/** A tree as a text: tags, class names, `href`, `start`, words. Adjacent words are joined. */
export function outline(root: HTMLElement): string {
  return (root as unknown as FakeElement).childNodes.map(outlineNode).join("");
}

function outlineNode(node: FakeNode): string {
  if (node instanceof FakeText) return node.textContent;
  const element = node as FakeElement;
  const tag = element.tagName.toLowerCase();
  const attrs = ["href", "start", "src", "style"].flatMap((name) =>
    element.attributes.has(name) ? [` ${name}=${element.attributes.get(name)}`] : [],
  );
  const name = element.className === "" ? "" : `.${element.className.replaceAll(" ", ".")}`;
  return `<${tag}${name}${attrs.join("")}>${element.childNodes.map(outlineNode).join("")}</${tag}>`;
}

/** Every element of a tree. */
export function elementsOf(root: HTMLElement): readonly { tag: string; attributes: ReadonlyMap<string, string> }[] {
  const walk = (element: FakeElement): { tag: string; attributes: ReadonlyMap<string, string> }[] => [
    { tag: element.tagName, attributes: element.attributes },
    ...element.children.flatMap(walk),
  ];
  return walk(root as unknown as FakeElement);
}
