import type { JsonBody } from '@model-gateway/dialects';
import type { LimitClass } from '@model-gateway/limits';
import { type BodyLabels, type Capability, GatewayError, type Unpriced } from '@model-gateway/shared';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { DataPlaneContext } from '../context.ts';
import { continueWith } from '../http/continue-with.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { readJsonBody } from '../http/read-json-body.ts';
import { possibleClasses } from '../limits/possible-classes.ts';
import { refuseInvalid, refuseKnownFull } from '../steps/admit-request.ts';
import { refuseOtherModels } from '../steps/refuse-forbidden.ts';
import { refuseUnpriced } from '../steps/refuse-unpriced.ts';
import { type RequestedModels, resolveModel } from '../steps/resolve-model.ts';
import { type ConversationRequest, setAffinity } from '../steps/set-affinity.ts';
import type { CandidateModel, CandidateModels } from '../upstream/candidates.ts';
import { checkLabels } from './check-labels.ts';

export interface ModelRequest extends RequestedModels, ConversationRequest {
  streamed: boolean;
  /** Parameters for which a paid model needs a price. */
  unpriced?: readonly Unpriced[] | undefined;
  labels?: BodyLabels | undefined;
  /** True if the provider answers later. */
  background?: boolean;
  /** True if it continues something that is stored. */
  goesOn?: boolean;
  /** Members that the response repeats. */
  echo?: Readonly<Record<string, unknown>>;
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
 * @returns no promise if nothing had to be waited for; a refusal is always a rejected promise
 * @throws GatewayError; ClientGone
 */
export function validateRequest<Schema extends z.ZodType<ModelRequest>>(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  { schema, capability, onlyCountsTokens = false }: ExpectedRequest<Schema>,
): ValidatedRequest<z.infer<Schema>> | Promise<ValidatedRequest<z.infer<Schema>>> {
  const refuse = (failure: unknown) => refuseInvalid(context, exchange, failure);
  try {
    const check = checkLimits(context, exchange, onlyCountsTokens ? ['reads'] : undefined);
    const validated = continueWith(readJsonBody(exchange, schema, context, check), (body) => {
      const { labels } = body.value;
      const checked = checkLabels(context, exchange, { labels, capability, isFree: onlyCountsTokens });
      return continueWith(checked, () => ({
        body,
        candidates: findCandidates(context, exchange, body.value, capability),
      }));
    });
    return validated instanceof Promise ? validated.catch(refuse) : validated;
  } catch (failure) {
    return refuse(failure);
  }
}

function findCandidates(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  request: ModelRequest,
  capability: Capability,
): CandidateModels {
  const { table } = context.models;
  setAffinity(context, exchange.record, { request, capability });
  return usableCandidates(resolveModel(context, exchange, request, capability), (model) => {
    refuseOtherModels(exchange.record, model, request.unpriced, table);
    refuseUnpriced(model, request.unpriced, table);
    return model;
  });
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
  candidates: CandidateModels,
  usable: (model: RoutedModel) => RoutedModel,
): CandidateModels {
  const [{ isNamed, model: first }] = candidates;
  const found: [CandidateModel, ...CandidateModel[]] = [{ model: usable(first), isNamed }];
  for (const other of candidates) {
    if (other === candidates[0]) continue;
    try {
      found.push({ model: usable(other.model), isNamed: other.isNamed });
    } catch (failure) {
      if (other.isNamed || !(failure instanceof GatewayError)) throw failure;
    }
  }
  return found;
}
