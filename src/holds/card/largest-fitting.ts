/** How far below the largest number the answer may stay: each halving more costs one more try. */
const PRECISION = 1 / 64;

/**
 * What `make` gives for about the largest whole number in [least, most] whose result fits, by bisection; undefined when
 * that of the least does not fit. Where fitting is not monotonic the answer still fits, but may be smaller than need be.
 */
export function largestFitting<T>(
  least: number,
  most: number,
  make: (n: number) => T,
  fits: (made: T) => boolean,
): T | undefined {
  let best = make(least);
  if (!fits(best)) return undefined;
  let low = least;
  let high = most;
  while (high - low > low * PRECISION) {
    const middle = Math.ceil((low + high) / 2);
    const made = make(middle);
    if (fits(made)) {
      best = made;
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return best;
}
