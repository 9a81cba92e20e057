import { promises as dns, type LookupAddress } from 'node:dns';
import { callbackify } from 'node:util';

/** Resolves a name to all its addresses, as `dns.lookup`. */
export type ResolveAll = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Per DNS server; the second try waits twice as long. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Creates the look-up of receivers' names. It asks the DNS servers itself: the system's look-up takes one of
 * two threads for as long as a server is silent, so that the names of one account could stop all others.
 * @param options.asksSystem true: the system is asked for names that the DNS servers do not know, such as
 *   those of /etc/hosts and of search domains
 * @param options.servers DNS servers; absent: those of the system
 */
export function receiverResolver({
  asksSystem,
  servers,
}: {
  asksSystem: boolean;
  servers?: readonly string[];
}): ResolveAll {
  return callbackify(async (hostname: string) => {
    // A name without a dot, such as localhost, is no name of the internet.
    if (!hostname.replace(/\.$/, '').includes('.')) return await dns.lookup(hostname, { all: true });
    try {
      return await askServers(hostname, servers);
    } catch (error) {
      if (!asksSystem || isSilence(error)) throw error;
      return await dns.lookup(hostname, { all: true });
    }
  });
}

async function askServers(
  hostname: string,
  servers: readonly string[] | undefined,
): Promise<LookupAddress[]> {
  const resolver = new dns.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const found = answers.flatMap((answer, index) =>
    answer.status === 'rejected'
      ? []
      : answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
  );
  if (found.length > 0) return found;
  const errors = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  throw errors.find(isSilence) ?? errors[0] ?? new Error('the name has no address');
}

function isSilence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === dns.TIMEOUT;
}
