import type { JsonBody } from '@model-gateway/dialects';
import type { LimitClass } from '@model-gateway/limits';
import { type Capability, GatewayError, type Unpriced } from '@model-gateway/shared';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { DataPlaneContext } from '../context.ts';
import { readJsonBody } from '../http/read-json-body.ts';
import type { AuthenticatedExchange } from '../request-record.ts';
import { refuseInvalid, refuseKnownFull } from '../steps/admit-request.ts';
import { refuseUnpriced } from '../steps/refuse-unpriced.ts';
import { type AskedModels, resolveModel } from '../steps/resolve-model.ts';
import type { CandidateModel, CandidateModels } from '../upstream/candidates.ts';

/** What the gateway needs to know of every request for a model. */
export interface ModelRequest extends AskedModels {
  streamed: boolean;
  /** What of it a paid model needs a price for. */
  unpriced?: readonly Unpriced[] | undefined;
  /** Only the provider that has answered before can answer it. */
  goesOn?: boolean;
}

export interface ExpectedRequest<Schema extends z.ZodType<ModelRequest>> {
  schema: Schema;
  capability: Capability;
  /** The limits against which a request may count whose body has begun to arrive. */
  possibleClasses: (arrived: readonly Buffer[]) => readonly LimitClass[];
  /**
   * The same model with those of its upstreams that can serve the request, where its API has such a thing.
   * @throws GatewayError
   */
  upstreamsFor?: UpstreamsFor<z.infer<Schema>> | undefined;
  /** The id of the model that has made what a request goes on from, where its API has such a thing. */
  goesOnFrom?: GoesOnFrom<z.infer<Schema>> | undefined;
  /**
   * Puts into a request what the gateway itself keeps of earlier ones, where its API has such a thing and this
   * gateway does so.
   * @throws GatewayError
   */
  expand?: Expand<z.infer<Schema>> | undefined;
  /** Whether a provider of the model gets the request as it is; left out: always, or what costs something. */
  mayPass?: ((model: RoutedModel) => boolean) | undefined;
}

export type Expand<Value> = (
  exchange: AuthenticatedExchange,
  body: JsonBody<Value>,
  models: readonly RoutedModel[],
  checkLimits: (arrived: readonly Buffer[]) => void,
) => Promise<JsonBody<Value>>;

export type GoesOnFrom<Value> = (exchange: AuthenticatedExchange, request: Value) => string | undefined;

export type UpstreamsFor<Value> = (
  exchange: AuthenticatedExchange,
  model: RoutedModel,
  request: Value,
) => RoutedModel;

/**
 * The steps from the key of a request to what it asks of which models. What is invalid counts as a read.
 * @throws GatewayError; ClientGone
 */
export async function understandRequest<Schema extends z.ZodType<ModelRequest>>(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  { schema, capability, possibleClasses, upstreamsFor, goesOnFrom, expand, mayPass }: ExpectedRequest<Schema>,
): Promise<{ body: JsonBody<z.infer<Schema>>; candidates: CandidateModels }> {
  try {
    // A large body is not read to its end when its request would be refused whatever the rest of it says.
    const checkLarge = (arrived: readonly Buffer[]) =>
      refuseKnownFull(context, exchange, possibleClasses(arrived));
    const body = await readJsonBody(exchange, schema, context, checkLarge);
    const before = goesOnFrom?.(exchange, body.value);
    const resolved = resolveModel(context, exchange, body.value, capability, before);
    // What it goes on from may have had tools that cost something.
    const models = resolved.map(({ model }) => model);
    const whole = expand === undefined ? body : await expand(exchange, body, models, checkLarge);
    const [first, ...others] = resolved;
    const usable = (candidate: CandidateModel): CandidateModel => {
      // A translation leaves out what no price of the catalog covers.
      if (mayPass?.(candidate.model) !== false)
        refuseUnpriced(candidate.model, whole.value.unpriced, context.models.table);
      const model = upstreamsFor?.(exchange, candidate.model, whole.value);
      return model === undefined ? candidate : { ...candidate, model };
    };
    const asked = usable(first);
    if (others.length === 0 || whole.value.goesOn === true) return { body: whole, candidates: [asked] };
    return { body: whole, candidates: [asked, ...others.flatMap((other) => orLeftOut(other, usable))] };
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

/** A model that the caller has not named is left out where the request may not use it. */
function orLeftOut(
  candidate: CandidateModel,
  usable: (candidate: CandidateModel) => CandidateModel,
): CandidateModel[] {
  try {
    return [usable(candidate)];
  } catch (failure) {
    if (candidate.isNamed || !(failure instanceof GatewayError)) throw failure;
    return [];
  }
}
