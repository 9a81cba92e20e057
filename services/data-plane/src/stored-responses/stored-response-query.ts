import type { ProviderStoredRequest } from '@model-gateway/dialects';
import { bodyNotWanted, invalidQuery } from '@model-gateway/shared/errors';
import type { Exchange } from '../http/exchange.ts';

export interface StoredResponseQuery {
  what: ProviderStoredRequest['what'];
  id: string;
  query: URLSearchParams;
  /** True if the response is requested as events. */
  streamed: boolean;
}

/** Path before the id of the response. */
const PATH_PREFIX = '/v1/responses/';

/** @throws GatewayError 400 */
export async function readStoredResponseQuery(
  { req }: Exchange,
  what: ProviderStoredRequest['what'],
): Promise<StoredResponseQuery> {
  const { headers, url = '/' } = req;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (what !== 'cancel' && hasBody) throw bodyNotWanted();
  const { pathname, searchParams: query } = new URL(url, 'http://gateway');
  const [id = ''] = pathname.slice(PATH_PREFIX.length).split('/');
  return {
    what,
    id: decodeURIComponent(id),
    query,
    streamed: what === 'response' && isStreamed(query),
  };
}

/** Reads `stream`. @throws GatewayError 400 for values that providers could read in two ways */
function isStreamed(query: URLSearchParams): boolean {
  const [asked = 'false', ...more] = query.getAll('stream').map((text) => text.toLowerCase());
  if (more.length > 0) throw invalidQuery('stream', 'is given more than once');
  if (asked !== 'true' && asked !== 'false') throw invalidQuery('stream', 'is neither true nor false');
  return asked === 'true';
}
