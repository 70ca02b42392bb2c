/** IPv4 blocks that are not public: special-purpose registry (RFC 6890 and its updates), multicast and reserved space. */
const SPECIAL_V4: ReadonlyArray<readonly [base: string, bits: number]> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

const DOTTED = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/**
 * True when an IP address in its usual notation belongs to the public internet. Whatever is no address is not public.
 * Of IPv6 only global unicast (2000::/3) counts, without Teredo, 6to4, documentation and other special blocks: an
 * address that carries an IPv4 one inside is never public.
 */
export function isPublicAddress(address: string): boolean {
  return address.includes(":") ? isPublicV6(address) : isPublicV4(address);
}

/** True when four dotted decimal numbers are a public IPv4 address. */
export function isPublicV4(address: string): boolean {
  const value = readV4(address);
  if (value === undefined) return false;
  return !SPECIAL_V4.some(([base, bits]) => {
    const mask = 2 ** 32 - 2 ** (32 - bits);
    return (value & mask) >>> 0 === readV4(base);
  });
}

function readV4(address: string): number | undefined {
  const bytes = DOTTED.exec(address)?.slice(1).map(Number);
  if (bytes === undefined || bytes.some((byte) => byte > 255)) return undefined;
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function isPublicV6(address: string): boolean {
  const groups = readV6(address);
  const [first = 0, second = 0] = groups ?? [];
  if (groups === undefined || first < 0x2000 || first > 0x3fff) return false;
  const isIetf = first === 0x2001 && second < 0x200;
  const isDocumentation = (first === 0x2001 && second === 0xdb8) || (first === 0x3fff && second < 0x1000);
  const is6to4 = first === 0x2002;
  return !isIetf && !isDocumentation && !is6to4;
}

/** The eight groups of an IPv6 address, or undefined. The URL parser knows every notation, so it reads them. */
function readV6(address: string): readonly number[] | undefined {
  if (!URL.canParse(`http://[${address}]/`)) return undefined;
  const [head = "", tail = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
