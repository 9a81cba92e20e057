import type { JsonBody } from '@model-gateway/dialects';
import type { LimitClass } from '@model-gateway/limits';
import { type Capability, GatewayError, type Unpriced } from '@model-gateway/shared';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { readJsonBody } from '../http/read-json-body.ts';
import { possibleClasses } from '../limits/possible-classes.ts';
import { refuseInvalid, refuseKnownFull } from '../steps/admit-request.ts';
import { refuseUnpriced } from '../steps/refuse-unpriced.ts';
import { type AskedModels, resolveModel } from '../steps/resolve-model.ts';
import type { CandidateModels } from '../upstream/candidates.ts';

export interface ModelRequest extends AskedModels {
  streamed: boolean;
  /** Parameters that a paid model needs a price for. */
  unpriced?: readonly Unpriced[] | undefined;
}

/** A request that was read, and the models that may answer it. */
export interface UnderstoodRequest<Value> {
  body: JsonBody<Value>;
  candidates: CandidateModels;
}

export interface ExpectedRequest<Schema extends z.ZodType<ModelRequest>> {
  schema: Schema;
  capability: Capability;
  /** The limits against which a request may count. Left out: what the part of its body that arrived says. */
  limitClasses?: readonly LimitClass[];
}

/**
 * The steps from the key of a request to what it asks of which models. What is invalid counts as a read.
 * @throws GatewayError; ClientGone
 */
export async function validateRequest<Schema extends z.ZodType<ModelRequest>>(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  { schema, capability, limitClasses }: ExpectedRequest<Schema>,
): Promise<UnderstoodRequest<z.infer<Schema>>> {
  try {
    const body = await readJsonBody(exchange, schema, context, checkLimits(context, exchange, limitClasses));
    const resolved = resolveModel(context, exchange, body.value, capability);
    const candidates = usableCandidates(resolved, (model) => {
      refuseUnpriced(model, body.value.unpriced, context.models.table);
      return model;
    });
    return { body, candidates };
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

/**
 * A large body is not read to its end when its request would be refused whatever the rest of it says.
 * @param limitClasses left out: what the part of the body that has arrived says
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
 * The models as a request may use them. One that the caller has not named is left out where it may not.
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
