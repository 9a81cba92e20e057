import type { RequestListener } from 'node:http';
import type { ProviderStoredRequest } from '@model-gateway/dialects';
import { providerStoredCall } from '../chat/provider-stored-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { guardResponse } from '../guardrails/guard-exchange.ts';
import { STORED_RESPONSE_CALLER } from '../http/caller-protocol.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { serveIfFirst } from '../replay/serve-once.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { finishAnswer } from '../steps/finish-answer.ts';
import { forwardRequest } from '../steps/forward-request.ts';
import { reportDeletion } from '../steps/report-deletion.ts';
import { resolveProviderStoredResponse } from '../steps/resolve-provider-stored-response.ts';
import { sendStoredResponse } from '../stored-responses/send-stored-response.ts';
import { isOwnId } from '../stored-responses/stored-response.ts';
import { readStoredResponseQuery } from '../stored-responses/stored-response-query.ts';
import { Candidates } from '../upstream/candidates.ts';
import { authenticate } from './authenticate.ts';

/**
 * The routes of one response, stored by a provider or by the gateway: GET, DELETE, POST …/cancel and GET
 * …/input_items. Free, and counted as reads.
 * @param route the pattern
 */
export function storedResponse(
  context: DataPlaneContext,
  route: string,
  what: ProviderStoredRequest['what'],
): RequestListener {
  const steps = async (arrived: Exchange) => {
    const exchange = await authenticate(context, arrived, 'chat');
    if (what !== 'cancel') return await serve(exchange);
    // The path names all that the request is about.
    return await serveIfFirst(
      context,
      exchange,
      () => [],
      () => serve(exchange),
    );
  };
  const serve = async (exchange: AuthenticatedExchange) => {
    const refuse = (failure: unknown) => refuseInvalid(context, exchange, failure);
    const query = await readStoredResponseQuery(exchange, what).catch(refuse);
    if (context.storedResponses !== undefined && isOwnId(query.id)) {
      await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
      return await sendStoredResponse(context, context.storedResponses.store, exchange, query);
    }
    const { stored, model, request } = await resolveProviderStoredResponse(context, exchange, query).catch(
      refuse,
    );
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: request.streamed });
    const known = context.models.table?.models.get(stored.modelId);
    const { accountId } = exchange.record.key;
    guardResponse(context, exchange, context.guardrails.ofStored(known, stored.guardrails ?? [], accountId));
    const candidates = new Candidates([{ model, isNamed: true }], () =>
      providerStoredCall(exchange, request, context),
    );
    try {
      if (what === 'delete') await reportDeletion(context, exchange, stored, model);
      await forwardRequest(context, exchange, candidates);
    } finally {
      exchange.record.releaseStream?.();
    }
    await finishAnswer(context, exchange, candidates.current.request.answer);
  };
  return serveExchange(context, route, steps, STORED_RESPONSE_CALLER);
}
