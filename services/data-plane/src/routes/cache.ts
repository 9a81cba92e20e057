import type { RequestListener } from 'node:http';
import { invalidQuery } from '@model-gateway/shared/errors';
import { TAG_NAME, TAG_VALUE } from '@model-gateway/shared/rules';
import type { DataPlaneContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendJson } from '../http/send-json.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { CACHE_KEY, type Purged } from '../replay/answer-cache.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import type { ResolveModelContext } from '../steps/resolve-model.ts';
import { authenticate } from './authenticate.ts';

const NAMES = ['cache_key', 'api_key', 'model', 'tag'] as const;
const FORM = 'give at most one of cache_key, api_key, model and tag, once';
const MAX_NAME = 256;

/** DELETE /v1/cache: purges cached answers of the caller's account. Free, and counted as a read. */
export function purgeCache(context: DataPlaneContext): RequestListener {
  return serveExchange(context, '/v1/cache', async (arrived) => {
    const exchange = await authenticate(context, arrived);
    const { purged, sent } = await readPurge(context, exchange).catch((failure: unknown) =>
      refuseInvalid(context, exchange, failure),
    );
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
    // Without Redis, nothing is cached.
    await context.replays.cache?.purge(exchange.record.key.accountId, purged);
    sendJson(exchange.res, { object: 'cache.purged', ...sent }, { 'cache-control': 'no-store' });
  });
}

/** @throws GatewayError 400 */
async function readPurge(
  { models }: ResolveModelContext,
  { req }: Exchange,
): Promise<{ purged: Purged; sent: Record<string, string> }> {
  const query = new URL(req.url ?? '/', 'http://gateway').searchParams;
  const [given, ...others] = [...query];
  if (given === undefined) return { purged: { all: true }, sent: {} };
  const [param, value] = given;
  const name = NAMES.find((each) => each === param);
  if (name === undefined || others.length > 0) throw invalidQuery(param, FORM);
  if (value === '' || value.length > MAX_NAME) throw invalidQuery(name, 'must have 1 to 256 characters');
  const sent = { [name]: value };
  if (name === 'cache_key') {
    if (!CACHE_KEY.test(value)) throw invalidQuery(name, 'must be the x-gateway-cache-key of a response');
    return { purged: { cacheKey: value }, sent };
  }
  if (name === 'tag' && !isTag(value)) throw invalidQuery(name, 'must be a tag such as project=alpha');
  // The answers are stored under the ids of their models.
  const members = name === 'model' ? models.table?.choices.get(value)?.members : undefined;
  const names = members?.map(({ model }) => model.id) ?? [value];
  return { purged: { kind: name, names }, sent };
}

function isTag(text: string): boolean {
  const at = text.indexOf('=');
  return at > 0 && TAG_NAME.test(text.slice(0, at)) && TAG_VALUE.test(text.slice(at + 1));
}
