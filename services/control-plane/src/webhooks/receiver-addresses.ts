import { isIP, type LookupFunction } from 'node:net';
import { addressBits, networkMatcher } from '@model-gateway/shared/rules';
import { type ResolveAll, receiverResolver } from './resolve-receiver.ts';

/** Networks that are not public (IANA's special-purpose registries). */
const RESERVED = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  // Shared by the customers of a carrier.
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local, with the metadata services of clouds.
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  // Multicast, reserved, broadcast.
  '224.0.0.0/3',
];
/** The only IPv6 addresses that are given out for the internet, and what is reserved among them. */
const PUBLIC_IPV6 = ['2000::/3'];
const RESERVED_IPV6 = [
  // Teredo and protocol assignments, documentation, 6to4, AS112, SRv6.
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3ffe::/16',
  '3fff::/20',
];

const isReservedIpv4 = networkMatcher(RESERVED);
const isPublicIpv6 = networkMatcher(PUBLIC_IPV6);
const isReservedIpv6 = networkMatcher(RESERVED_IPV6);

/** Reason for which nothing is sent to an address, which it does not name: DNS may keep it secret. */
export class RefusedReceiver extends Error {
  override readonly name = 'RefusedReceiver';
}

/**
 * Decides to which addresses webhooks may connect: public ones, and those of the networks that the operator
 * names. Without TLS only the latter.
 */
export class ReceiverAddresses {
  readonly #isNamed: (bits: string) => boolean;
  readonly #resolveAll: ResolveAll;

  /** @param networks CIDRs or addresses of WEBHOOK_NETWORKS */
  constructor(
    networks: readonly string[],
    resolveAll: ResolveAll = receiverResolver({ asksSystem: networks.length > 0 }),
  ) {
    this.#isNamed = networkMatcher(networks);
    this.#resolveAll = resolveAll;
  }

  /** @throws RefusedReceiver if the host is an address to which nothing is sent; names are not resolved */
  requireLiteral(url: URL): void {
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) === 0) return;
    const refusal = this.#refusal(host, url.protocol);
    if (refusal !== undefined) throw refusal;
  }

  /**
   * Returns the look-up of a connection. The connection goes to an address that it returns, so a name that
   * resolves to another address the next time leads nowhere else.
   */
  lookupFor(protocol: string): LookupFunction {
    return (hostname, { all = false }, callback) => {
      this.#resolveAll(hostname, (error, addresses) => {
        if (error !== null) {
          callback(error, '');
          return;
        }
        const allowed = addresses.filter(({ address }) => this.#refusal(address, protocol) === undefined);
        const [first] = allowed;
        if (first === undefined) {
          const refused = addresses[0]?.address;
          const refusal = refused === undefined ? undefined : this.#refusal(refused, protocol);
          callback(refusal ?? new RefusedReceiver('its name has no address'), '');
        } else if (all) callback(null, allowed);
        else callback(null, first.address, first.family);
      });
    };
  }

  #refusal(address: string, protocol: string): RefusedReceiver | undefined {
    const bits = addressBits(address);
    if (this.#isNamed(bits)) return undefined;
    if (!isPublic(bits))
      return new RefusedReceiver(
        'its address is not public: an operator can allow its network with WEBHOOK_NETWORKS',
      );
    if (protocol !== 'https:')
      return new RefusedReceiver('http: is only for networks in WEBHOOK_NETWORKS: use https:');
    return undefined;
  }
}

/** @param bits as `addressBits` writes them; IPv4 addresses that are mapped into IPv6 count as IPv4 */
function isPublic(bits: string): boolean {
  if (bits.startsWith('4')) return !isReservedIpv4(bits);
  return isPublicIpv6(bits) && !isReservedIpv6(bits);
}
