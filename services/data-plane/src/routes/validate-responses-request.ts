import { type ResponsesRequest, responsesRequest, type Unpriced } from '@model-gateway/shared';
import { compactionUnsupported, invalidField } from '@model-gateway/shared/errors';
import { type RoutedModel, storesResponses } from '../catalog/model-table.ts';
import { upstreamsForResponse } from '../chat/upstreams-for-response.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { readJsonBody } from '../http/read-json-body.ts';
import { refuseForbiddenResponse } from '../rules/refuse-forbidden-response.ts';
import { refuseInvalid } from '../steps/admit-request.ts';
import { refuseUnpriced } from '../steps/refuse-unpriced.ts';
import { resolveModel } from '../steps/resolve-model.ts';
import { setAffinity } from '../steps/set-affinity.ts';
import { expandRequest } from '../stored-responses/expand-request.ts';
import { checkLabels } from './check-labels.ts';
import { checkLimits, usableCandidates, type ValidatedRequest } from './validate-request.ts';

/**
 * `validateRequest` for Responses. A response that the gateway stores is expanded into the request that
 * continues it; one that a provider stores limits the request to that provider.
 * @throws GatewayError; ClientGone
 */
export async function validateResponsesRequest(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
): Promise<ValidatedRequest<ResponsesRequest>> {
  const { record } = exchange;
  const { accountId } = record.key;
  try {
    const check = checkLimits(context, exchange);
    const asked = await readJsonBody(exchange, responsesRequest, context, check);
    const { labels } = asked.value;
    const checked = checkLabels(context, exchange, { labels, capability: 'chat' });
    if (checked !== undefined) await checked;
    const { previousResponseId } = asked.value;
    const before =
      previousResponseId === undefined ? undefined : context.sealedIds.open(accountId, previousResponseId);
    // Only the provider matters: the model of the earlier turn is not called again.
    if (before !== undefined)
      refuseForbiddenResponse(record, { providerId: before.providerId }, 'previous_response_id');
    const conversation = { capability: 'chat', previous: before?.affinityKey } as const;
    setAffinity(context, record, { ...conversation, request: asked.value });
    let resolved = resolveModel(context, exchange, asked.value, 'chat', before?.modelId);
    const mayPass = resolved.some(({ model }) => passesResponses(model));
    const toExpand = { body: asked, mayPass, checkLimits: check };
    const body = await expandRequest(context, exchange, toExpand);
    if (body !== asked) {
      // The stored turns show how the conversation began.
      setAffinity(context, record, { ...conversation, request: body.value });
      resolved = resolveModel(context, exchange, body.value, 'chat', before?.modelId);
    }
    const { goesOn, unpriced } = body.value;
    // The earlier turn may have used priced tools.
    const candidates = usableCandidates(goesOn ? [resolved[0]] : resolved, (model) => {
      // Translations drop unpriced parameters other than the service tier.
      const kept = passesResponses(model) ? unpriced : unpriced.filter(isOfTier);
      refuseUnpriced(model, kept, context.models.table);
      return upstreamsForResponse(context, accountId, model, body.value);
    });
    return { body, candidates };
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

/**
 * `validateResponsesRequest` for a compaction, which only providers with the Responses API have.
 * @throws GatewayError; ClientGone
 */
export async function validateCompaction(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
): Promise<ValidatedRequest<ResponsesRequest>> {
  const { body, candidates } = await validateResponsesRequest(context, exchange);
  try {
    requireCompaction(body.value);
    return { body, candidates: usableCandidates(candidates, withCompaction) };
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

/**
 * Refuses what OpenAI's compaction does not have: a provider that took it would stream, answer later, or
 * write more than is reserved.
 */
function requireCompaction({ background, maxOutputTokens, streamed }: ResponsesRequest): void {
  const refused = { stream: streamed, background, max_output_tokens: maxOutputTokens !== undefined };
  for (const [param, isSet] of Object.entries(refused))
    if (isSet) throw invalidField(param, 'a compaction does not take it; leave it out');
}

function withCompaction(model: RoutedModel): RoutedModel {
  const upstreams = model.upstreams.filter(({ provider }) => storesResponses(provider));
  if (upstreams.length === 0) throw compactionUnsupported(model.id);
  return { ...model, upstreams };
}

function isOfTier({ needsTier }: Unpriced): boolean {
  return needsTier !== undefined;
}

function passesResponses({ upstreams }: RoutedModel): boolean {
  return upstreams.some(({ provider }) => storesResponses(provider));
}
