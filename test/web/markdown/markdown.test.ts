import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMarkdownView } from "../../../web/src/markdown/markdown-view.ts";
import { elementsOf, makeRoot, outline } from "./mini-dom.ts";

function render(text: string, pieces: readonly string[] = [text]): string {
  const root = makeRoot();
  const view = createMarkdownView(root, () => undefined);
  let shown = "";
  for (const piece of pieces) {
    shown += piece;
    view.show(shown, false);
  }
  view.show(text, true);
  return outline(root);
}

/** Words that look like Markdown, to reach the corners of the grammar. */
const scrap = fc.oneof(
  fc.constantFrom(
    ..."*_~`#>-+|[]()!$\\ \n\t.:<&".split(""),
    "**",
    "```",
    "```ts\n",
    "\n\n",
    "    ",
    "1. ",
    "- ",
    "- [ ] ",
    "- [x] ",
    "> ",
    "| a | b |\n|---|---|\n",
    "](",
    "![",
    "http",
    "https://a.example/x_y",
    "word",
    "x",
    "7",
    "ä",
    "😀",
    "<img src=https://e.example/x>",
    "<br>",
    "\\(",
    "$$",
  ),
  fc.string({ maxLength: 4 }),
);
const markdown = fc.array(scrap, { maxLength: 60 }).map((parts) => parts.join(""));

describe("markdown", () => {
  it("[L-27] HTML in a text is words", () => {
    expect(render("<script>alert(1)</script> <b onclick=x>hi</b>")).toBe(
      "<p><script>alert(1)</script> <b onclick=x>hi</b></p>",
    );
    const root = makeRoot();
    createMarkdownView(root, () => undefined).show("<img src=x onerror=alert(1)>\n\n<iframe>", true);
    expect(elementsOf(root).map((element) => element.tag)).toEqual(["DIV", "P", "P"]);
  });

  it("[L-27] no text ever makes an element that loads, or an attribute beyond the known ones", () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const root = makeRoot();
        createMarkdownView(root, () => undefined).show(text, true);
        for (const { tag, attributes } of elementsOf(root)) {
          expect(["IMG", "SCRIPT", "IFRAME", "STYLE", "LINK", "OBJECT", "VIDEO", "SVG"]).not.toContain(tag);
          for (const [name, value] of attributes) {
            expect(["href", "title", "target", "rel", "start", "role", "aria-label"]).toContain(name);
            if (name === "href") expect(value).toMatch(/^(https?:|mailto:|#)/);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("[L-28] links of other kinds stay as written", () => {
    for (const target of [
      "javascript:alert(1)",
      "JaVaScRiPt:alert(1)",
      "java\tscript:alert(1)",
      " javascript:x",
      "data:text/html,x",
      "vbscript:x",
      "//evil.example/x",
      "/api/v1/me",
      "file:///etc/passwd",
      "blob:https://a/b",
      "",
    ]) {
      expect(render(`[go](${target})`)).toBe(`<p>[go](${target})</p>`);
    }
    expect(render("[go](https://a.example/b)")).toBe("<p><a href=https://a.example/b>go</a></p>");
    expect(render("[mail](mailto:a@b.example) [top](#top)")).toBe(
      "<p><a href=mailto:a@b.example>mail</a> <a href=#top>top</a></p>",
    );
    expect(render('[go](https://a.example "a title")')).toBe("<p><a href=https://a.example/>go</a></p>");
  });

  it("[L-28] a link that names another host than its own says where it leads", () => {
    expect(render("[bank.example](https://evil.example/)")).toBe(
      "<p><a href=https://evil.example/>bank.example<span.host> (evil.example)</span></a></p>",
    );
    expect(render("[www.a.example](https://a.example/)")).toBe("<p><a href=https://a.example/>www.a.example</a></p>");
    expect(render("[а.example](https://а.example/)")).toContain("xn--");
  });

  it("[L-29] an image is a link with its host", () => {
    expect(render("![cat](https://e.example/c.png?q=secret)")).toBe(
      "<p><a.image href=https://e.example/c.png?q=secret>cat<span.host> (e.example)</span></a></p>",
    );
    expect(render("![](http://e.example/c.svg)")).toContain(">Image<span.host>");
    expect(render("![x](data:image/png;base64,AAAA)")).toBe("<p>![x](data:image/png;base64,AAAA)</p>");
    expect(render("![x](//e.example/c.png)")).toBe("<p>![x](//e.example/c.png)</p>");
    expect(render("[![alt](https://e.example/i.png)](https://a.example)")).not.toContain("<img");
  });

  it("[L-30] pieces give the same nodes as the whole", () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat(12), { maxLength: 80 }), (text, cuts) => {
        const pieces: string[] = [];
        let at = 0;
        for (const cut of cuts) {
          pieces.push(text.slice(at, at + cut));
          at += cut;
        }
        pieces.push(text.slice(at));
        expect(render(text, pieces)).toBe(render(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("[L-31] words stay as they were written", () => {
    const cases: readonly (readonly [string, string])[] = [
      ["call fetch_page and send_webhook_now", "<p>call fetch_page and send_webhook_now</p>"],
      ["23*17.5 = 402.5", "<p>23*17.5 = 402.5</p>"],
      ["a[0] and b[i][j]", "<p>a[0] and b[i][j]</p>"],
      ["$5 and $HOME and $x$ and $$y$$", "<p>$5 and $HOME and $x$ and $$y$$</p>"],
      ["\\(a\\) \\[b\\]", "<p>\\(a\\) \\[b\\]</p>"],
      ["see [this](https://a.example\nnext", "<p>see [this](https://a.example<br></br>next</p>"],
      ["![open\nnext **bold**", "<p>![open<br></br>next <strong>bold</strong></p>"],
      ["5 *stars", "<p>5 *stars</p>"],
      ["**never closed", "<p>**never closed</p>"],
      ["~~never", "<p>~~never</p>"],
      ["a `tick", "<p>a `tick</p>"],
      ["http_code and https", "<p>http_code and https</p>"],
      ["`a_b` and `$x`", "<p><code>a_b</code> and <code>$x</code></p>"],
      [
        "_em_ __strong__ *em* **strong**",
        "<p><em>em</em> <strong>strong</strong> <em>em</em> <strong>strong</strong></p>",
      ],
    ];
    for (const [text, expected] of cases) expect(render(text)).toBe(expected);
  });

  it("[L-31] every letter and digit outside links and code labels comes out, in order", () => {
    const plain = fc
      .array(
        fc.constantFrom(
          ..."*_~`#>-|[]()!$\\ \n".split(""),
          "**",
          "\n\n",
          "1. ",
          "- ",
          "> ",
          "ab",
          "c7",
          "ä",
          "w_x",
          "2*3",
        ),
        { maxLength: 60 },
      )
      .map((parts) => parts.join(""));
    const letters = (text: string) => text.replace(/[^\p{L}]/gu, "");
    fc.assert(
      fc.property(plain, (text) => {
        fc.pre(!text.includes("```"));
        const root = makeRoot();
        createMarkdownView(root, () => undefined).show(text, true);
        expect(letters(root.textContent)).toBe(letters(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("[L-27] a block of code keeps its text and its language", () => {
    expect(render("```ts\nconst a_b = 1;\n\n  x **y** $z\n```\nafter")).toBe(
      "<figure.code><figcaption><span>ts</span><button>Copy</button></figcaption><pre><code>const a_b = 1;\n\n  x **y** $z</code></pre></figure><p>after</p>",
    );
    expect(render("```\nopen")).toContain("<code>open</code>");
  });

  it("[L-27] lists, tasks, tables, headings and quotes become their elements", () => {
    expect(render("# A\n\n- [x] done\n- [ ] open\n\n3. c\n\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")).toBe(
      "<h3>A</h3><ul><li><span.check.done></span> done</li><li><span.check></span> open</li></ul><ol start=3><li>c</li></ol><blockquote><p>q</p></blockquote><div.table><table><thead><tr><th> a </th><th> b </th></tr></thead><tbody><tr><td> 1 </td><td> 2 </td></tr></tbody></table></div>",
    );
  });

  it("[L-27] an address in running text is a link without the punctuation after it", () => {
    expect(render("see https://a.example/x_(y)_z, or https://b.example).")).toBe(
      "<p>see <a href=https://a.example/x_(y)_z>https://a.example/x_(y)_z</a>, or <a href=https://b.example/>https://b.example</a>).</p>",
    );
  });

  it("[L-32] hostile nesting is shown flat, quickly", () => {
    const start = Date.now();
    for (const text of [
      `${">".repeat(20_000)} deep`,
      `${"*_".repeat(10_000)} deep`,
      `${"- ".repeat(10_000)} deep`,
      `${"[".repeat(20_000)} deep`,
      `${"![".repeat(10_000)} deep`,
      `${"**a ".repeat(5_000)} deep`,
      `${"`".repeat(20_000)} deep`,
      `${"|".repeat(20_000)} deep`,
      `${"1. ".repeat(5_000)}deep`,
      Array.from({ length: 400 }, (_, i) => `${" ".repeat(i * 2)}- item`).join("\n") + " deep",
    ]) {
      const root = makeRoot();
      createMarkdownView(root, () => undefined).show(text, true);
      expect(root.textContent).toContain("deep");
    }
    expect(Date.now() - start).toBeLessThan(5_000);
  });

  it("[L-32] no text makes it throw", () => {
    fc.assert(
      fc.property(fc.oneof(markdown, fc.string({ maxLength: 300, unit: "binary" })), (text) => {
        render(text);
      }),
      { numRuns: 1_000 },
    );
  });

  it("[L-5] a text that is not the continuation starts over", () => {
    const root = makeRoot();
    const view = createMarkdownView(root, () => undefined);
    view.show("Hello wor", false);
    view.show("Hello world", false);
    view.show("Bye", false);
    view.show("Bye now", true);
    view.show("Bye now", true);
    view.show("Bye now, again", true);
    expect(outline(root)).toBe("<p>Bye now, again</p>");
  });
});
