/** A stretch of entry ids, both ends included. */
export type Span = readonly [from: number, to: number];

/** Stretches in rising order that neither touch nor overlap. */
export type Spans = readonly Span[];

/** The stretches up to and including an id. */
export function spansUpTo(spans: Spans, id: number): Spans {
  return spans.flatMap(([from, to]): Spans => (from > id ? [] : [[from, Math.min(to, id)]]));
}

/** The stretches together with one that ends after all of them; what it covers or touches becomes one. */
export function withSpan(spans: Spans, [from, to]: Span): Spans {
  const apart = spans.filter((span) => span[1] < from - 1);
  const start = spans.slice(apart.length).reduce((least, span) => Math.min(least, span[0]), from);
  return [...apart, [start, to]];
}

export function holdsId(spans: Spans, id: number): boolean {
  return spans.some(([from, to]) => from <= id && id <= to);
}

/** What lies between 1 and `to` outside of the stretches. */
export function outsideOf(spans: Spans, to: number): Spans {
  const outside: Span[] = [];
  let next = 1;
  for (const [start, end] of spansUpTo(spans, to)) {
    if (start > next) outside.push([next, start - 1]);
    next = end + 1;
  }
  if (next <= to) outside.push([next, to]);
  return outside;
}
