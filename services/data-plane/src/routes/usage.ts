import type { RequestListener } from 'node:http';
import { receiptAnswer } from '@model-gateway/contracts';
import { hideUpstreams, receiptNotFound } from '@model-gateway/shared/errors';
import type { DataPlaneContext } from '../context.ts';
import type { Exchange } from '../http/exchange.ts';
import { sendJson } from '../http/send-json.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { fetchReceipt, fetchUsage } from '../usage/fetch-usage.ts';
import { parseUsageQuery, type RequestedUsage } from '../usage/parse-usage-query.ts';
import { remainingLimits } from '../usage/remaining-limits.ts';
import { summaryAnswer } from '../usage/summary-answer.ts';
import { authenticate } from './authenticate.ts';

const NOT_CACHED = { 'cache-control': 'no-store' };
const REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;

/** GET /v1/usage: usage of the caller's account or seat, and what its pools and limits have left. */
export function usageSummary(context: DataPlaneContext): RequestListener {
  return serveExchange(context, '/v1/usage', async (arrived) => {
    const exchange = await authenticate(context, arrived);
    const { key } = exchange.record;
    const requested = await readQuery(exchange).catch((failure: unknown) =>
      refuseInvalid(context, exchange, failure),
    );
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
    const [usage, limits] = await Promise.all([
      fetchUsage(context, key, requested, exchange.stop.signal),
      remainingLimits(context.limiter, key),
    ]);
    exchange.stop.signal.throwIfAborted();
    sendJson(exchange.res, summaryAnswer(usage, limits), NOT_CACHED);
  });
}

/** GET /v1/usage/requests/{request_id}: the receipt of one request. */
export function usageReceipt(context: DataPlaneContext): RequestListener {
  return serveExchange(context, '/v1/usage/requests/:request_id', async (arrived) => {
    const exchange = await authenticate(context, arrived);
    const { key } = exchange.record;
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
    const requestId = targetOf(exchange).pathname.split('/').at(-1) ?? '';
    if (!REQUEST_ID.test(requestId)) throw receiptNotFound();
    const { signal } = exchange.stop;
    const receipt = await fetchReceipt(context, key, requestId, signal);
    signal.throwIfAborted();
    const answer = receiptAnswer(receipt);
    const attempts = context.hidesUpstreams ? hideUpstreams(answer.attempts) : answer.attempts;
    sendJson(exchange.res, { ...answer, attempts }, NOT_CACHED);
  });
}

async function readQuery(exchange: Exchange): Promise<RequestedUsage> {
  return parseUsageQuery(targetOf(exchange).searchParams, Date.now() / 1_000);
}

function targetOf({ req }: Exchange): URL {
  return new URL(req.url ?? '/', 'http://gateway');
}
