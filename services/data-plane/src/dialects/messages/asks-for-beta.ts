import type { IncomingMessage } from 'node:http';

/** Whether the URL asks for the beta of Messages, as clients do that send beta headers. */
export function asksForBeta({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  const [, ...query] = url.split('?');
  return query.join('?').split('&').includes('beta=true');
}
