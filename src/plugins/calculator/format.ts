import { toNumber, type Value } from "./number.ts";

/** Decimal places up to which an exact value is written out. */
const MAX_DECIMALS = 40;
/** What a double keeps reliably. */
const SIGNIFICANT_DIGITS = 15;

/** `= 0.3`, every digit, when the value is exact and its decimals end; else `≈ 0.333333333333333`, rounded. */
export function formatValue(value: Value): string {
  const decimals = value.kind === "exact" ? decimalsOf(value.d) : undefined;
  if (value.kind === "exact" && decimals !== undefined) return `= ${formatDecimal(value.n, value.d, decimals)}`;
  return `≈ ${Number(toNumber(value).toPrecision(SIGNIFICANT_DIGITS)) + 0}`;
}

/** How many decimals a fraction with this denominator needs; undefined when they do not end or are too many. */
function decimalsOf(denominator: bigint): number | undefined {
  let scale = 1n;
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    if (scale % denominator === 0n) return decimals;
    scale *= 10n;
  }
  return undefined;
}

function formatDecimal(n: bigint, d: bigint, decimals: number): string {
  const scaled = (n * 10n ** BigInt(decimals)) / d;
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(decimals + 1, "0");
  const sign = scaled < 0n ? "-" : "";
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
