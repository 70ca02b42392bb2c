import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { renderCard } from "../../src/holds/card/card.ts";
import type { Json } from "../../src/lib/json.ts";
import type { HoldCard } from "../../src/protocol/cards.ts";
import { makeApproved, makeHold } from "./make.ts";

/** Where a card shows words of others. */
const FIELDS: Readonly<Record<string, (text: string) => HoldCard>> = {
  tool: (tool) => renderCard(makeHold(), { tool, input: {} }),
  action: (text) => renderCard({ ...makeHold(), text }, callOf()),
  target: (target) => renderCard({ ...makeHold(), target }, callOf()),
  "who asked": (name) => renderCard({ ...makeHold(), speaker: { principalId: "p_a", name } }, callOf()),
  "whom it was handed to": (name) => renderCard({ ...makeHold(), askedOf: { principalId: "p_a", name } }, callOf()),
  "who decided": (name) => decided({ by: { principalId: "p_a", name } }),
  note: (note) => decided({ note }),
  "who edited": (name) => edited({ a: 1 }, { a: 2 }, name),
  "an argument before an edit": (value) => edited({ a: value }, { a: 2 }),
  "an argument's name before an edit": (name) => edited({ [`a${name}`]: 1 }, { a: 2 }),
  "an argument": (value) => renderCard(makeHold(), callOf({ a: value })),
  "an argument's name": (name) => renderCard(makeHold(), callOf({ [`a${name}`]: 1 })),
  "a nested argument": (value) => renderCard(makeHold(), callOf({ a: [{ b: value }] })),
};

/** Every code point that is not shown as it is, by class, thinned out where a class has a hundred thousand. */
const CLASSES = [/\p{Cc}/u, /\p{Cf}/u, /\p{Cs}/u, /\p{Co}/u, /\p{Cn}/u, /\p{Default_Ignorable_Code_Point}/u, /\p{Z}/u];
const POINTS = CLASSES.flatMap((unlike) => {
  const all: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    const char = String.fromCodePoint(point);
    if (unlike.test(char)) all.push(char);
  }
  const step = Math.max(1, Math.floor(all.length / 60));
  return all.filter((_, i) => i % step === 0);
});

const piece = fc.oneof(
  fc.constantFrom(...POINTS),
  fc.constantFrom("\\", "\\n", "\n", '"', "é", "e\u0301", "Å", "\u212b", "a", " ", "\\u{200b}", "\\cut(1 units)"),
);
/** Short enough that no field cuts it. */
const text = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));

describe.each(Object.entries(FIELDS))("%s", (_field, show) => {
  it("[H-31] [H-39] of two different texts never gives two cards that look alike, normalised or not", () => {
    const texts = fc.uniqueArray(text, { minLength: 2, maxLength: 6 });
    const property = fc.property(texts, (all) => {
      expect(new Set(all.map((one) => looksOf(show(one)))).size).toBe(all.length);
    });
    fc.assert(property, { numRuns: 60, seed: 7 });
  });

  it("[H-29] shows every class of deceptive characters spelled out, each unlike the others", () => {
    const looks = [...new Set(POINTS)].map((char) => looksOf(show(`x${char}y`)));
    expect(new Set(looks).size).toBe(looks.length);
    const raw = looks.filter((look) => /[^\P{C}]|[^\P{Z} ]|\p{Default_Ignorable_Code_Point}/u.test(look));
    expect(raw).toEqual([]);
  });
});

function callOf(input: Json = { a: 1 }): { readonly tool: string; readonly input: Json } {
  return { tool: "send", input };
}

function decided(changes: {
  readonly by?: { readonly principalId: string; readonly name: string };
  readonly note?: string;
}) {
  const approved = makeApproved();
  return renderCard({ ...approved, decision: { ...approved.decision, ...changes } }, callOf());
}

function edited(proposed: Json, input: Json, name = "Bert"): HoldCard {
  const edit = { entry: 3, by: { principalId: "p_bert", name } };
  return renderCard({ ...makeHold(), edit }, { tool: "send", input, proposed });
}

function looksOf(card: HoldCard): string {
  return JSON.stringify(card).normalize("NFC");
}
