import { isIP } from 'node:net';

const BITS_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(2).padStart(8, '0'));
const IPV6_BITS = 128;
/** The bits before an IPv4 address that is written in IPv6. */
const MAPPED = `${'0'.repeat(80)}${'1'.repeat(16)}`;

/**
 * Compiles networks, in CIDR notation or as single addresses, into a check of `addressBits`. Node's
 * `BlockList` would take 8 kB for each list, and would find all IPv4 addresses in ::/0.
 */
export function networkMatcher(networks: readonly string[]): (bits: string) => boolean {
  const prefixes = networks.map(networkPrefix);
  return (bits) => prefixes.some((prefix) => bits.startsWith(prefix));
}

/**
 * Returns the first bits of all addresses in a network, as `addressBits` writes them.
 * @throws Error for anything else; rules are validated when they are set
 */
export function networkPrefix(network: string): string {
  const [address = '', length] = network.split('/');
  const bits = addressBits(address);
  if (bits === '') throw new Error(`${network} is no network`);
  if (length === undefined) return bits;
  const isMapped = bits.startsWith('4') && address.includes(':');
  return bits.slice(0, 1 + Math.max(0, Number(length) - (isMapped ? MAPPED.length : 0)));
}

/**
 * Returns an address in binary digits, after its family: `4` or `6`. An IPv4 address that is mapped into IPv6
 * counts as IPv4.
 * @returns an empty text for anything else: a forwarded address can be any text
 */
export function addressBits(address: string): string {
  const plain = address.includes('%') ? address.replace(/%.*$/, '') : address;
  const family = isIP(plain);
  if (family === 4) return `4${ipv4Bits(plain)}`;
  if (family !== 6) return '';
  const bits = ipv6Bits(plain);
  return bits.startsWith(MAPPED) ? `4${bits.slice(MAPPED.length)}` : `6${bits}`;
}

function ipv4Bits(address: string): string {
  let bits = '';
  for (const byte of address.split('.')) bits += BITS_OF_BYTE[Number(byte)];
  return bits;
}

function ipv6Bits(address: string): string {
  const [head = '', tail = ''] = address.split('::', 2).map(groupsBits);
  return head + '0'.repeat(IPV6_BITS - head.length - tail.length) + tail;
}

/** The last group may be an IPv4 address. */
function groupsBits(groups: string): string {
  if (groups === '') return '';
  let bits = '';
  for (const group of groups.split(':')) {
    const value = Number.parseInt(group, 16);
    bits += group.includes('.') ? ipv4Bits(group) : `${BITS_OF_BYTE[value >> 8]}${BITS_OF_BYTE[value & 255]}`;
  }
  return bits;
}
