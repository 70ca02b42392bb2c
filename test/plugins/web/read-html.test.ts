import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_TOKENS } from "../../../src/plugins/web/markdown-writer.ts";
import { readHtml } from "../../../src/plugins/web/read-html.ts";

const base = new URL("https://example.com/dir/page");
const read = (html: string, maxUnits = 40_000) => readHtml(html, { base, maxUnits });
const markdown = (html: string) => read(html).markdown;

describe("readHtml: Markdown", () => {
  it.each([
    [
      "headings",
      "<h1>One</h1><h2>Two <b>bold</b></h2><h6>Six</h6>text",
      "# One\n\n## Two **bold**\n\n###### Six\n\ntext",
    ],
    ["paragraphs", "<p>a\n  b</p><p>c</p>d", "a b\n\nc\n\nd"],
    ["line breaks", "a<br>b<br/>c", "a\nb\nc"],
    ["blocks", "<div>a</div><div>b<div>c</div></div>", "a\nb\nc"],
    ["rules", "a<hr>b", "a\n\n---\n\nb"],
    ["emphasis", "<strong>a </strong>b<em> c</em> <del>d</del>", "**a** b *c* ~~d~~"],
    ["nested and empty emphasis", "<b><b>a</b></b><i></i><i> </i>b", "**a** b"],
    ["code", "use <code>a &lt; b</code>", "use `a < b`"],
    ["quotes", "<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n>\n> b\n\nc"],
    ["lists", "<ul><li>a</li><li>b</li></ul>", "- a\n- b"],
    ["numbered lists", '<ol start="3"><li>a<li>b</ol>', "3. a\n4. b"],
    ["lists in lists", "<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d"],
    ["paragraphs in lists", "<ul><li><p>a<p>b</ul>", "- a\n\n  b"],
    ["quotes in lists", "<ul><li>a<blockquote>b</blockquote></ul>", "- a\n\n  > b"],
    ["definitions", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd"],
    ["links", '<a href="/x?a=1&amp;b=2">t</a>', "[t](https://example.com/x?a=1&b=2)"],
    ["relative links", '<a href="other#top">t <b>u</b></a>', "[t **u**](https://example.com/dir/other#top)"],
    ["links around blocks", '<a href="/x"><h3>Card</h3><p>text</p></a>', "[Card text](https://example.com/x)"],
    ["parentheses in links", '<a href="/a_(b)">t</a>', "[t](https://example.com/a_%28b%29)"],
    ["mail links", '<a href="mailto:a@example.com">t</a>', "[t](mailto:a@example.com)"],
    ["unclosed links", '<a href="/1">a<a href="/2">b</a>', "[a](https://example.com/1)[b](https://example.com/2)"],
    ["links without text", '<p><a href="/x"></a>b', "b"],
    [
      "script links",
      '<a href="javascript:alert(1)">t</a> <a href="data:x">u</a> <a name=n>v</a> <a href="#f">w</a>',
      "t u v w",
    ],
    ["images", '<img src="a.png" alt="a &amp; b"> <img src="b.png">', "[image: a & b]"],
    [
      "tables",
      "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2|3</td></tr></tbody></table>x",
      "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |\n\nx",
    ],
    [
      "tables without end tags",
      "<table><tr><td>a<td><p>b</p><p>c<tr><td>d<td></table>",
      "| a | b c |\n| --- | --- |\n| d | |",
    ],
    ["tables in tables", "<table><tr><td>a<table><tr><td>b</table></table>", "| a b |\n| --- |"],
    ["code blocks", '<pre class="lang-ts">\n  a\n\n    b &lt;\n</pre>', "```ts\n  a\n\n    b <\n```"],
    ["code blocks with a code element", '<pre><code class="language-c++">a</code></pre>', "```c++\na\n```"],
    ["code blocks that hold fences", "<pre>```` x</pre>", "`````\n```` x\n`````"],
    ["code blocks in lists", "<ul><li>a<pre>b\nc</pre></ul>", "- a\n\n  ```\n  b\n  c\n  ```"],
    ["form words", "<label>Name <input></label><button>Send</button>", "Name"],
  ])("[G-21] %s", (_what, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  it("[G-21] gives the title apart from the text", () => {
    const page = read("<html><head><title> A &amp;\n B </title><meta x></head><body>text");
    expect(page).toEqual({ title: "A & B", markdown: "text", cut: false });
  });

  it("[G-21] reads only the main part where there is one with text", () => {
    expect(markdown("<header>h</header><main><p>m</p></main><footer>f</footer>")).toBe("m");
    expect(markdown("<div>before</div><main></main><p>after")).toBe("after");
    expect(markdown("<p>a</p><p>b</p>")).toBe("a\n\nb");
  });
});

describe("readHtml: what is hidden", () => {
  it.each([
    ["scripts", "a<script>if (x<y) document.write('<p>no')</script>b", "ab"],
    ["styles", "a<style>p > b { }</style>b", "ab"],
    ["comments", "a<!-- no <p> -->b", "ab"],
    ["templates", "a<template><p>no</template>b", "ab"],
    ["noscript", "a<noscript><p>no</noscript>b", "ab"],
    ["drawings", "a<svg><title>no</title><text>no</text><path/></svg>b<svg/>c", "abc"],
    ["navigation", "<nav><ul><li>no</ul></nav>b", "b"],
    ["the hidden attribute", "a<span hidden>no</span>b", "ab"],
    ["aria-hidden", '<p aria-hidden="TRUE">no</p>b', "b"],
    ["display: none", '<div style="color: red; DISPLAY : none">no</div>b', "b"],
    ["encoded styles", '<div style="display&#58;none">no</div>b', "b"],
    [
      "invisible text",
      '<p style="font-size:0px">no</p><p style="opacity: 0">no</p><p style="visibility:hidden">no</p>b',
      "b",
    ],
    ["nested inside hidden", "<div hidden>no<div>no</div>no</div>b", "b"],
    ["lists inside hidden items", "<ul><li hidden>no<ul><li>no</ul>no</li><li>b</ul>", "- b"],
    ["hidden images", '<img alt="no" hidden>b', "b"],
    ["an unclosed hidden paragraph ends at the next block", "<p hidden>no<p>b", "b"],
    ["an unclosed hidden element ends with its parent", "<section><div hidden>no<div>no</section>b", "b"],
  ])("[G-21] leaves out %s", (_what, html, expected) => {
    expect(markdown(html)).toBe(expected);
  });

  it.each([
    ["font-size:0.9em", "shown"],
    ["opacity:0.5", "shown"],
  ])("[G-21] does not take %s for hiding", (style, expected) => {
    expect(markdown(`<p style="${style}">shown</p>`)).toBe(expected);
  });
});

describe("readHtml: bounds", () => {
  it("[G-22] text of exactly the limit is whole, one unit more is cut", () => {
    expect(read("x".repeat(100), 100)).toEqual({ title: "", markdown: "x".repeat(100), cut: false });
    expect(read("x".repeat(101), 100)).toEqual({ title: "", markdown: "x".repeat(100), cut: true });
    expect(read(`<pre>${"x".repeat(500)}</pre>`, 100)).toMatchObject({ cut: true });
  });

  it("[G-21] a title of 300 units is whole, one of 301 is cut", () => {
    expect(read(`<title>${"x".repeat(300)}</title>`).title).toHaveLength(300);
    expect(read(`<title>${"x".repeat(301)}</title>`).title).toHaveLength(300);
  });

  it.each([
    ["deep nesting", "<div>".repeat(400_000)],
    ["deep nesting with text", "<div>a".repeat(300_000)],
    ["deep emphasis", `${"<b>".repeat(600_000)}x`],
    ["tables in tables", "<table><tr><td>".repeat(130_000)],
    ["empty elements", "<i></i>".repeat(280_000)],
    ["lists in lists", "<ul><li>".repeat(250_000)],
    ["quotes in quotes", "<blockquote>a".repeat(150_000)],
    ["endless attributes", `<p ${"a=b ".repeat(500_000)}>x`],
    ["one endless attribute", `<p a='${"b".repeat(2_000_000)}'>x`],
    ["an unclosed attribute", `<p a='${"b".repeat(2_000_000)}`],
    ["nothing but brackets", "<".repeat(2_000_000)],
    ["unclosed comments", "<!--".repeat(500_000)],
    ["end tags without a start", "</p>".repeat(500_000)],
    ["scripts that never end", "<script><p>x".repeat(150_000)],
    ["character references", "&amp;".repeat(400_000)],
    ["hidden elements", `<div hidden>${"<p>x".repeat(400_000)}`],
    ["empty lines of code", `<pre>${"\n".repeat(2_000_000)}x`],
    ["fences", `<pre>${"```` ".repeat(400_000)}`],
  ])("[G-24] handles %s", (_what, html) => {
    const page = read(html);
    expect(page.markdown.length).toBeLessThanOrEqual(40_000);
  });

  it("[G-24] reads 200,000 tokens and cuts at the next", () => {
    const elements = (tokens: number) => "<br>".repeat(tokens - 1);
    expect(read(`${elements(MAX_TOKENS)}x`)).toEqual({ title: "", markdown: "x", cut: false });
    expect(read(`${elements(MAX_TOKENS + 1)}x`)).toEqual({ title: "", markdown: "", cut: true });
  });

  it("[G-21] [G-24] takes any text; the words of plain text all arrive", () => {
    const names = "p div b i a ul li table tr td pre h2 blockquote main title br script".split(" ");
    const piece = fc.oneof(
      fc.constantFrom(
        ...names.flatMap((name) => [`<${name}>`, `</${name}>`]),
        "<a href=/x>",
        "<p hidden>",
        "<!--",
        "-->",
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
        const page = read(pieces.join(""));
        expect(page.markdown).toBe(page.markdown.trim());
      }),
    );
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,8}$/)), (words) => {
        expect(markdown(words.join("\n ")).split(" ").filter(Boolean)).toEqual(words);
      }),
    );
  });
});
