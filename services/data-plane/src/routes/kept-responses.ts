import type { RequestListener } from 'node:http';
import { bodyNotWanted, invalidQuery } from '@model-gateway/shared/errors';
import type { DataPlaneContext } from '../context.ts';
import { keptCall } from '../dialects/responses/kept-call.ts';
import { keptModel } from '../dialects/responses/kept-model.ts';
import { KEPT_READER } from '../dialects/responses/kept-reader.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import type { KeptRequest } from '../providers/kept-request.ts';
import type { Exchange } from '../request-record.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { authenticateKey } from '../steps/authenticate-key.ts';
import { finishAnswer } from '../steps/finish-answer.ts';
import { forwardRequest } from '../steps/forward-request.ts';

/** The id of the response in the path: it stands behind this. */
const BEFORE_ID = '/v1/responses/';

/**
 * The routes of one response that a provider keeps: GET, DELETE, POST …/cancel and GET …/input_items. Free, and
 * counted as reads.
 * @param route the pattern
 */
export function keptResponse(
  context: DataPlaneContext,
  route: string,
  what: KeptRequest['what'],
): RequestListener {
  const steps = async (exchange: Exchange) => {
    await authenticateKey(context, exchange);
    const { model, request } = await understand(context, exchange, what).catch((failure: unknown) =>
      refuseInvalid(context, exchange, failure),
    );
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: request.streamed });
    const call = keptCall(exchange, request, context);
    try {
      await forwardRequest(context, exchange, model, call);
    } finally {
      exchange.record.releaseStream?.();
    }
    await finishAnswer(context, exchange, call.answer);
  };
  return serveExchange(context, route, steps, KEPT_READER);
}

async function understand(context: DataPlaneContext, exchange: Exchange, what: KeptRequest['what']) {
  const { record, req } = exchange;
  if (record.key === undefined) throw new Error('asked for a response before authenticated');
  if (what !== 'cancel' && hasBody(exchange)) throw bodyNotWanted();
  const { accountId } = record.key;
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://gateway');
  const [id = ''] = pathname.slice(BEFORE_ID.length).split('/');
  const { kept, model } = keptModel(context, accountId, decodeURIComponent(id));
  const streamed = what === 'response' && isStreamed(searchParams);
  record.streamed = streamed;
  const request: KeptRequest = {
    what,
    id: decodeURIComponent(id),
    responseId: kept.responseId,
    modelId: kept.modelId,
    query: searchParams.toString(),
    streamed,
    sealed: (providerId, responseId) =>
      context.sealedIds.sealer(accountId, kept.modelId).seal(providerId, responseId),
  };
  return { model, request };
}

function hasBody({ req: { headers } }: Exchange): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** @throws GatewayError 400 for what providers could read in two ways */
function isStreamed(query: URLSearchParams): boolean {
  const [asked = 'false', ...more] = query.getAll('stream').map((text) => text.toLowerCase());
  if (more.length > 0) throw invalidQuery('stream', 'is given more than once');
  if (asked !== 'true' && asked !== 'false') throw invalidQuery('stream', 'is neither true nor false');
  return asked === 'true';
}
