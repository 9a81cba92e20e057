import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';
import { z } from 'zod';

/** Returns true if the peer at `address`, `hop` hops away, may name the client's address. */
export type TrustProxy = (address: string, hop: number) => boolean;

/**
 * `TRUST_PROXY`: the number of proxies in front of the service, or their CIDRs. Unset: no proxy is trusted.
 */
export const trustProxySetting = z
  .string()
  .transform((text, context): TrustProxy => {
    if (/^\d{1,2}$/.test(text)) {
      const hops = Number(text);
      return (_address, hop) => hop < hops;
    }
    try {
      return proxyaddr.compile(text.split(',').map((entry) => entry.trim()));
    } catch {
      context.addIssue({
        code: 'custom',
        message: 'expected a number of hops, or CIDRs separated by commas',
      });
      return z.NEVER;
    }
  })
  .default(() => () => false);

/** Returns what a limit per address counts as one client: an IPv4 address, or a /64 of IPv6. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  if (tail !== undefined)
    groups.push(...Array.from({ length: 8 - groups.length - after.length }, () => '0'), ...after);
  const prefix = groups.slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(':')}::/64`;
}

/** Returns the address that the request came from. An IPv4 address that is mapped into IPv6 becomes IPv4. */
export function clientIp(req: IncomingMessage, trust: TrustProxy): string {
  const peer = req.socket.remoteAddress;
  // A client that has already gone has no address.
  if (peer === undefined) return '0.0.0.0';
  const address = req.headers['x-forwarded-for'] === undefined ? peer : proxyaddr(req, trust);
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
