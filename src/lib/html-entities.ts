/** Names of U+00A0 to U+00FF in order. These may stand without their semicolon. */
const LATIN_1 = (
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro " +
  "para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil " +
  "Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave " +
  "Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml " +
  "igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute " +
  "thorn yuml"
).split(" ");

const LEGACY: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["AMP", "&"],
  ["LT", "<"],
  ["GT", ">"],
  ["QUOT", '"'],
  ...LATIN_1.map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
]);

/** `name character` pairs of what else pages commonly use. A name that is not here stays as it is written. */
const NAMED_PAIRS = (
  "apos ' ndash – mdash — lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ lsaquo ‹ rsaquo › hellip … bull • dagger † " +
  "Dagger ‡ permil ‰ prime ′ Prime ″ euro € trade ™ larr ← uarr ↑ rarr → darr ↓ harr ↔ lArr ⇐ rArr ⇒ hArr ⇔ minus − " +
  "lowast ∗ radic √ infin ∞ ne ≠ le ≤ ge ≥ asymp ≈ equiv ≡ sum ∑ prod ∏ part ∂ int ∫ nabla ∇ isin ∈ notin ∉ cap ∩ " +
  "cup ∪ sub ⊂ sup ⊃ sube ⊆ supe ⊇ and ∧ or ∨ forall ∀ exist ∃ empty ∅ there4 ∴ sim ∼ cong ≅ sdot ⋅ perp ⊥ oplus ⊕ " +
  "otimes ⊗ alpha α beta β gamma γ delta δ epsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν xi ξ " +
  "omicron ο pi π rho ρ sigma σ sigmaf ς tau τ upsilon υ phi φ chi χ psi ψ omega ω Alpha Α Beta Β Gamma Γ Delta Δ " +
  "Theta Θ Lambda Λ Pi Π Sigma Σ Phi Φ Psi Ψ Omega Ω OElig Œ oelig œ Scaron Š scaron š Zcaron Ž zcaron ž Yuml Ÿ " +
  "fnof ƒ circ ˆ tilde ˜ check ✓ cross ✗ star ☆ starf ★ spades ♠ clubs ♣ hearts ♥ diams ♦ loz ◊ num # excl ! quest ? " +
  "lpar ( rpar ) lsqb [ rsqb ] lbrack [ rbrack ] lcub { rcub } lbrace { rbrace } comma , period . colon : semi ; " +
  "sol / bsol \\ vert | verbar | lowbar _ grave ` ast * plus + equals = percnt % dollar $ commat @ Hat ^"
).split(" ");

const NAMED: ReadonlyMap<string, string> = new Map([
  ...NAMED_PAIRS.flatMap((name, index) => (index % 2 === 0 ? [[name, NAMED_PAIRS[index + 1] ?? ""] as const] : [])),
  ["ensp", " "],
  ["emsp", " "],
  ["thinsp", " "],
  ["hairsp", " "],
  ["NewLine", "\n"],
  ["Tab", "\t"],
  ["zwj", "\u200d"],
  ["zwnj", "\u200c"],
  ["lrm", "\u200e"],
  ["rlm", "\u200f"],
]);

/** Windows-1252 meanings of the references &#128; to &#159;, which the HTML standard keeps. */
const C1 = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Text with its HTML character references decoded; unknown ones stay as written. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,10})|([a-z][a-z0-9]{1,31}))(;?)/gi,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined, end: string) => {
      if (hex !== undefined) return decodePoint(Number.parseInt(hex, 16));
      if (decimal !== undefined) return decodePoint(Number(decimal));
      const key = name ?? "";
      return LEGACY.get(key) ?? (end === ";" ? NAMED.get(key) : undefined) ?? whole;
    },
  );
}

function decodePoint(point: number): string {
  if (point >= 0x80 && point <= 0x9f) return C1.charAt(point - 0x80);
  const isWrong = point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff);
  return isWrong ? "\ufffd" : String.fromCodePoint(point);
}
