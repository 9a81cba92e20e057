import type { JsonBody } from '@model-gateway/dialects';
import type { LimitClass } from '@model-gateway/limits';
import { type BodyLabels, type Capability, GatewayError, type Unpriced } from '@model-gateway/shared';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { readJsonBody } from '../http/read-json-body.ts';
import { possibleClasses } from '../limits/possible-classes.ts';
import { refuseInvalid, refuseKnownFull } from '../steps/admit-request.ts';
import { refuseOtherModels } from '../steps/refuse-forbidden.ts';
import { refuseUnpriced } from '../steps/refuse-unpriced.ts';
import { type RequestedModels, resolveModel } from '../steps/resolve-model.ts';
import { type ConversationRequest, setAffinity } from '../steps/set-affinity.ts';
import type { CandidateModels } from '../upstream/candidates.ts';
import { checkLabels } from './check-labels.ts';

export interface ModelRequest extends RequestedModels, ConversationRequest {
  streamed: boolean;
  /** Parameters for which a paid model needs a price. */
  unpriced?: readonly Unpriced[] | undefined;
  labels?: BodyLabels | undefined;
}

export interface ValidatedRequest<Value> {
  body: JsonBody<Value>;
  candidates: CandidateModels;
}

export interface ExpectedRequest<Schema extends z.ZodType<ModelRequest>> {
  schema: Schema;
  capability: Capability;
  /** True if it only counts tokens: it is free, and a read. */
  onlyCountsTokens?: boolean;
}

/**
 * Reads the body, and finds the models that may answer it. An invalid request counts as a read.
 * @throws GatewayError; ClientGone
 */
export async function validateRequest<Schema extends z.ZodType<ModelRequest>>(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  { schema, capability, onlyCountsTokens = false }: ExpectedRequest<Schema>,
): Promise<ValidatedRequest<z.infer<Schema>>> {
  try {
    const check = checkLimits(context, exchange, onlyCountsTokens ? ['reads'] : undefined);
    const body = await readJsonBody(exchange, schema, context, check);
    const { labels } = body.value;
    const checked = checkLabels(context, exchange, { labels, capability, isFree: onlyCountsTokens });
    if (checked !== undefined) await checked;
    setAffinity(context, exchange.record, { request: body.value, capability });
    const resolved = resolveModel(context, exchange, body.value, capability);
    const candidates = usableCandidates(resolved, (model) => {
      refuseOtherModels(exchange.record, model, body.value.unpriced, context.models.table);
      refuseUnpriced(model, body.value.unpriced, context.models.table);
      return model;
    });
    return { body, candidates };
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

/**
 * Returns a check that refuses a large body early if its key is at its limits.
 * @param limitClasses left out: derived from the arrived part of the body
 */
export function checkLimits(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  limitClasses?: readonly LimitClass[],
): (arrived: readonly Buffer[]) => void {
  return (arrived) =>
    refuseKnownFull(context, exchange, limitClasses ?? possibleClasses(context.models.table, arrived));
}

/**
 * Adapts the candidates to a request. One that the caller did not name is dropped if the request may not use
 * it.
 * @param usable @throws GatewayError for a model that the request may not use
 */
export function usableCandidates(
  [first, ...others]: CandidateModels,
  usable: (model: RoutedModel) => RoutedModel,
): CandidateModels {
  const asked = { ...first, model: usable(first.model) };
  if (others.length === 0) return [asked];
  const usableOthers = others.flatMap((other) => {
    try {
      return [{ ...other, model: usable(other.model) }];
    } catch (failure) {
      if (other.isNamed || !(failure instanceof GatewayError)) throw failure;
      return [];
    }
  });
  return [asked, ...usableOthers];
}
