import { BlockList, isIP } from 'node:net';

/** How an IPv4 address is written in IPv6, and the bits before it. */
const MAPPED = /^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i;
const MAPPED_BITS = 96;

/**
 * Compiles networks, in CIDR notation or as single addresses, into a check of an address. IPv4 addresses that
 * are mapped into IPv6 count as IPv4. Text that is no address is in no network.
 */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  // One list would find every IPv4 address in ::/0.
  const ipv4 = new BlockList();
  const ipv6 = new BlockList();
  for (const network of networks) {
    const [base = '', bits] = network.split('/');
    const plain = base.replace(MAPPED, '');
    if (isIP(plain) === 6) ipv6.addSubnet(plain, Number(bits ?? 128), 'ipv6');
    else ipv4.addSubnet(plain, plain === base ? Number(bits ?? 32) : unmappedBits(bits), 'ipv4');
  }
  return (address) => {
    const plain = address.replace(MAPPED, '').replace(/%.*$/, '');
    const family = isIP(plain);
    if (family === 4) return ipv4.check(plain, 'ipv4');
    return family === 6 && ipv6.check(plain, 'ipv6');
  };
}

/** A network that is wider than all of IPv4 contains more than addresses that count as IPv4: takes all of these. */
function unmappedBits(bits = '128'): number {
  return Math.max(0, Number(bits) - MAPPED_BITS);
}
