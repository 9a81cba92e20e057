import { BlockList, isIP } from 'node:net';

/** Returns true for a host that is reached without a proxy. @param host a name or address, in lower case */
export type IsDirect = (host: string, port: number) => boolean;

/** Link-local addresses are those of metadata services, which a proxy cannot reach. */
const NEVER_PROXIED = ['127.0.0.0/8', '::1/128', '169.254.0.0/16', 'fe80::/10'];

/**
 * Parses NO_PROXY: entries separated by commas or spaces. `*` matches everything, `acme.example` also its
 * subdomains, `.acme.example` and `*.acme.example` the same, `10.0.0.0/8` addresses; a port may follow names
 * and addresses. Loopback is always direct.
 * @throws Error that names an invalid entry
 */
export function parseNoProxy(text: string): IsDirect {
  const subnets = new BlockList();
  for (const subnet of NEVER_PROXIED) addSubnet(subnets, subnet);
  const names: { suffix: string; port: number | undefined }[] = [];
  for (const entry of text.toLowerCase().split(/[\s,]+/)) {
    if (entry === '') continue;
    if (entry.includes('/')) addSubnet(subnets, entry);
    else names.push(parseName(entry));
  }
  return (host, port) => {
    if (host === 'localhost' || host.endsWith('.localhost')) return true;
    const family = isIP(host);
    if (family !== 0 && subnets.check(host, family === 6 ? 'ipv6' : 'ipv4')) return true;
    return names.some(
      (name) => (name.port === undefined || name.port === port) && isWithin(host, name.suffix),
    );
  };
}

function isWithin(host: string, suffix: string): boolean {
  return suffix === '*' || host === suffix || host.endsWith(`.${suffix}`);
}

function addSubnet(subnets: BlockList, entry: string): void {
  const [address = '', bits = ''] = entry.split('/');
  const family = isIP(address);
  const maxBits = family === 6 ? 128 : 32;
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > maxBits)
    throw new Error(`${entry} is not a range of addresses such as 10.0.0.0/8`);
  subnets.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
}

/** Parses a name or address with an optional port; an IPv6 address with a port is in brackets. */
function parseName(entry: string): { suffix: string; port: number | undefined } {
  const [, bracketed, plain = entry, port] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
  const suffix = (bracketed ?? plain).replace(/^\*?\./, '');
  return { suffix, port: port === undefined ? undefined : Number(port) };
}
