import type { RequestListener } from 'node:http';
import type { DataPlaneContext } from '../context.ts';
import { sendJson } from '../http/send-json.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { admitRequest } from '../steps/admit-request.ts';
import { fetchKey, keyAnswer } from '../usage/fetch-key.ts';
import { remainingLimits } from '../usage/remaining-limits.ts';
import { authenticate } from './authenticate.ts';

/** GET /v1/key: the caller's own key, its rules, and what its budgets and limits have left. */
export function ownKey(context: DataPlaneContext): RequestListener {
  return serveExchange(context, '/v1/key', async (arrived) => {
    const exchange = await authenticate(context, arrived);
    const { key } = exchange.record;
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
    const [found, limits] = await Promise.all([
      fetchKey(context, key, exchange.stop.signal),
      remainingLimits(context.limiter, key),
    ]);
    exchange.stop.signal.throwIfAborted();
    sendJson(exchange.res, keyAnswer(found, limits), { 'cache-control': 'no-store' });
  });
}
