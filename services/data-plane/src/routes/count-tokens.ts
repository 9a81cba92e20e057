import type { RequestListener } from 'node:http';
import { isNotCounted, type JsonBody } from '@model-gateway/dialects';
import { type CountTokensRequest, countTokensRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import { countTokensCall } from '../chat/count-tokens-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { guardExchange } from '../guardrails/guard-exchange.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { MESSAGES_CALLER } from '../http/messages-caller.ts';
import { sendJson } from '../http/send-json.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { requireListed } from '../json/request-schemas.ts';
import { fingerprintedJson } from '../replay/request-fingerprint.ts';
import { serveIfFirst } from '../replay/serve-once.ts';
import { admitRequest } from '../steps/admit-request.ts';
import { countPrompt } from '../steps/count-prompt.ts';
import { finishAnswer } from '../steps/finish-answer.ts';
import { forwardRequest } from '../steps/forward-request.ts';
import { Candidates } from '../upstream/candidates.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { authenticate } from './authenticate.ts';
import { type ValidatedRequest, validateRequest } from './validate-request.ts';

const ABSENT_STATUS: ReadonlySet<unknown> = new Set([404, 405, 501]);

/**
 * POST /v1/messages/count_tokens: free, and counted as a read. A provider that counts tokens is asked, else
 * the gateway counts.
 */
export function countTokens(context: DataPlaneContext): RequestListener {
  requireListed(countTokensRequest);
  const steps = async (arrived: Exchange) => {
    const exchange = await authenticate(context, arrived, 'chat');
    const validated = await validateRequest(context, exchange, {
      schema: countTokensRequest,
      capability: 'chat',
      onlyCountsTokens: true,
    });
    const body = () => fingerprintedJson(validated.body);
    await serveIfFirst(context, exchange, body, () => count(exchange, validated));
  };
  const count = async (exchange: AuthenticatedExchange, validated: ValidatedRequest<CountTokensRequest>) => {
    const [{ model }] = validated.candidates;
    await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
    const guarding = guardExchange(context, exchange, {
      api: 'messages',
      body: validated.body,
      models: validated.candidates,
      schema: countTokensRequest,
    });
    const body = guarding === undefined ? validated.body : await guarding;
    if (await relayProviderCount(context, exchange, model, body)) return;
    const inputTokens = await countPrompt(context, exchange, model, body);
    exchange.stop.signal.throwIfAborted();
    const headers = { 'x-gateway-model': model.id, [OVERHEAD_HEADER]: overheadMs(exchange) };
    sendJson(exchange.res, { input_tokens: inputTokens }, headers);
  };
  return serveExchange(context, '/v1/messages/count_tokens', steps, MESSAGES_CALLER);
}

/**
 * Relays the count of a provider that counts tokens.
 * @returns false, without a response, if none of the model's providers counts
 * @throws GatewayError; ClientGone
 */
async function relayProviderCount(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  model: RoutedModel,
  body: JsonBody<CountTokensRequest>,
): Promise<boolean> {
  const upstreams = model.upstreams.filter(({ model: upstreamModel, provider }) => {
    const count = provider.protocol.endpoints.chat?.count;
    return count !== undefined && count.counts?.(upstreamModel) !== false;
  });
  if (upstreams.length === 0) return false;
  const counting = [{ model: { ...model, upstreams }, isNamed: true }] as const;
  const candidates = new Candidates(counting, (model) => countTokensCall(exchange, body, model, context));
  try {
    await forwardRequest(context, exchange, candidates);
  } catch (failure) {
    if (isNotCounted(failure) || ABSENT_STATUS.has(exchange.record.attempts.at(-1)?.httpStatus)) return false;
    throw failure;
  }
  await finishAnswer(context, exchange, candidates.current.request.answer);
  return true;
}
