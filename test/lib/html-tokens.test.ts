import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { htmlTokens } from "../../src/lib/html-tokens.ts";

/** Tokens in short: `<tag a=b>`, `</tag>`, `"text"`. */
function tokens(html: string): readonly string[] {
  return [...htmlTokens(html)].map((token) => {
    switch (token.kind) {
      case "open": {
        const attributes = [...token.attributes].map(([name, value]) => ` ${name}=${value}`).join("");
        return `<${token.tag}${attributes}${token.selfClosing ? "/" : ""}>`;
      }
      case "close":
        return `</${token.tag}>`;
      case "text":
        return JSON.stringify(token.text);
    }
  });
}

describe("htmlTokens", () => {
  it.each<[string, readonly string[]]>([
    ["<p>a</p>", ["<p>", '"a"', "</p>"]],
    ["<P CLASS=x>", ["<p class=x>"]],
    ["a < b <3 </ >", ['"a < b <3 "']],
    ["a<", ['"a<"']],
    ["a</", ['"a</"']],
    ["<br/><br />", ["<br/>", "<br/>"]],
    [`<a href="x>y" title='"'>`, [`<a href=x>y title=">`]],
    ["<a b=c/d>", ["<a b=c/d>"]],
    ["<a b = c  d>", ["<a b=c d=>"]],
    ["<a b='1'c>", ["<a b=1 c=>"]],
    ["<a b=1 B=2>", ["<a b=1>"]],
    ['<a "=1 =2>', ['<a "=1 =2=>']],
    ["<!doctype html>x", ['"x"']],
    ["<!-- <b> -- > -->x", ['"x"']],
    ["<!-->x", ['"x"']],
    ["<!--->x", ['"x"']],
    ["<!-- never closed <b>x", []],
    ["<?php echo 1 ?>x", ['"x"']],
    ["</3>x", ['"x"']],
    ["<![CDATA[x]]>y", ['"y"']],
    ["<script>if (a<b) '</scr' </script >x", ["<script>", `"if (a<b) '</scr' "`, "</script>", '"x"']],
    ["<SCRIPT></ScRiPt>", ["<script>", "</script>"]],
    ["<script>never closed<p>", ["<script>", '"never closed<p>"']],
    ["<title>a <script> b</title><p>", ["<title>", '"a <script> b"', "</title>", "<p>"]],
    ["<textarea></p></textarea>", ["<textarea>", '"</p>"', "</textarea>"]],
    ["<a title='<script>'>x", ["<a title=<script>>", '"x"']],
    ["<p unfinished", []],
    ["<p a='unfinished>x", []],
    ["x</p unfinished", ['"x"']],
    ["&lt;b&gt;", ['"&lt;b&gt;"']],
    ["<x-y:z>", ["<x-y:z>"]],
    ["", []],
  ])("[G-21] %j", (html, expected) => {
    expect(tokens(html)).toEqual(expected);
  });

  it("[G-24] keeps 64 attributes of one tag and drops the 65th", () => {
    const many = (n: number) => `<p ${Array.from({ length: n }, (_, i) => `a${i}=1`).join(" ")}>`;
    const count = (html: string) => [...htmlTokens(html)].map((t) => (t.kind === "open" ? t.attributes.size : -1));
    expect(count(many(64))).toEqual([64]);
    expect(count(many(65))).toEqual([64]);
  });

  it("[G-24] takes any text and loses no text outside of markup", () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "/",
      "p",
      "script",
      "</script",
      "!--",
      "-->",
      "=",
      '"',
      "'",
      " ",
      "x",
      "&amp;",
    );
    const soup = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(soup, (html) => {
        const text = [...htmlTokens(html)].map((token) => (token.kind === "text" ? token.text : "")).join("");
        expect(text.length).toBeLessThanOrEqual(html.length);
        if (!html.includes("<")) expect(text).toBe(html);
      }),
    );
  });
});
