import { describe, expect, it } from "vitest";
import { decodeEntities } from "../../src/lib/html-entities.ts";

describe("decodeEntities", () => {
  it.each([
    ["a &amp; b &lt;c&gt; &quot;d&quot; &apos;e&apos;", `a & b <c> "d" 'e'`],
    ["&eacute;&Eacute;&szlig;&yuml;&nbsp;&para;", "éÉßÿ\u00a0¶"],
    ["&copy 2025 &AMP;", "© 2025 &"],
    ["&hellip;&mdash;&euro;&ldquo;&rdquo;&check;", "…—€“”✓"],
    ["&omega;&Omega;&larr;&infin;&ne;", "ωΩ←∞≠"],
    ["&#65;&#x42;&#X43;&#68 &#x45 z", "ABCD E z"],
    ["&#128;&#x99;", "€™"],
    ["&#128512;", "😀"],
    ["&#0;&#xd800;&#x110000;&#4294967296;", "\ufffd\ufffd\ufffd\ufffd"],
    ["&amp;lt;", "&lt;"],
    ["&nosuchthing; &; & &# &#x; &mdash", "&nosuchthing; &; & &# &#x; &mdash"],
    ["&constructor; &toString;", "&constructor; &toString;"],
    ["no reference", "no reference"],
  ])("[G-23] %j is %j", (written, read) => {
    expect(decodeEntities(written)).toBe(read);
  });
});
