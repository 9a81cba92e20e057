import type { RequestListener } from 'node:http';
import type { ChatApi, JsonBody } from '@model-gateway/dialects';
import type { Capability } from '@model-gateway/shared';
import type { z } from 'zod';
import type { RoutedModel } from '../catalog/model-table.ts';
import { copyContents } from '../contents/copy-contents.ts';
import type { DataPlaneContext } from '../context.ts';
import { guardExchange } from '../guardrails/guard-exchange.ts';
import type { CallerProtocol } from '../http/caller-protocol.ts';
import type { AuthenticatedExchange, Exchange } from '../http/exchange.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { requireListed } from '../json/request-schemas.ts';
import { estimateTokens } from '../limits/policies.ts';
import { classOf } from '../limits/possible-classes.ts';
import { asksForCache } from '../replay/cache-directives.ts';
import { CachedRequest } from '../replay/cached-request.ts';
import { fingerprintedJson } from '../replay/request-fingerprint.ts';
import { hasIdempotencyKey, serveOnce } from '../replay/serve-once.ts';
import type { Charge, RequestRecord } from '../request-record.ts';
import type { FollowedResponse } from '../settlement/followed-response.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { finishAnswer } from '../steps/finish-answer.ts';
import { followBackground } from '../steps/follow-background.ts';
import { forwardRequest } from '../steps/forward-request.ts';
import { reserveBalance } from '../steps/reserve-balance.ts';
import { settleUsage } from '../steps/settle-usage.ts';
import { Candidates } from '../upstream/candidates.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { authenticate } from './authenticate.ts';
import {
  type ExpectedRequest,
  type ModelRequest,
  type ValidatedRequest,
  validateRequest,
} from './validate-request.ts';

export interface JsonRoute<Schema extends z.ZodType<ModelRequest>> {
  path: string;
  capability: Capability;
  schema: Schema;
  /** Of chats, for guardrails. */
  api?: ChatApi;
  /** Defaults to OpenAI's API. */
  caller?: CallerProtocol;
  /** Defaults to `validateRequest`. */
  validate?: (
    context: DataPlaneContext,
    exchange: AuthenticatedExchange,
    expected: ExpectedRequest<Schema>,
  ) => ValidatedRequest<z.infer<Schema>> | Promise<ValidatedRequest<z.infer<Schema>>>;
  call(
    exchange: AuthenticatedExchange,
    body: JsonBody<z.infer<Schema>>,
    model: RoutedModel,
    context: DataPlaneContext,
  ): CapabilityCall;
}

/**
 * Builds the route of an endpoint with a JSON body: the capability decides schema, path, response and
 * metering.
 */
export function jsonRoute<Schema extends z.ZodType<ModelRequest>>(
  context: DataPlaneContext,
  { path, api, capability, schema, caller, validate = validateRequest, call }: JsonRoute<Schema>,
): RequestListener {
  requireListed(schema);
  const writesText = capability === 'chat' || capability === 'completions';
  const steps = async (arrived: Exchange) => {
    const exchange = await authenticate(context, arrived, capability);
    const validating = validate(context, exchange, { schema, capability });
    const validated = validating instanceof Promise ? await validating : validating;
    if (!hasIdempotencyKey(exchange)) return serve(exchange, validated);
    const body = () => fingerprintedJson(validated.body);
    return serveOnce(context, exchange, body, () => serve(exchange, validated));
  };
  const serve = async (exchange: AuthenticatedExchange, validated: ValidatedRequest<z.infer<Schema>>) => {
    const { body, candidates: models } = validated;
    const cached = asksForCache(exchange) ? await openCache(context, exchange, validated) : undefined;
    const takesStream = writesText && body.value.streamed;
    if (exchange.record.key.contentsKeyId !== undefined) copyContents(context, exchange, body.chunks);
    const candidatesFor = (checked: typeof body) =>
      new Candidates(models, (model) => call(exchange, checked, model, context));
    let candidates = candidatesFor(body);
    const estimate = () => estimateTokens(candidates.current.request, writesText ? undefined : body.size);
    await admitRequest(context, exchange, {
      limitClass: classOf(models),
      takesStream,
      estimateTokens: estimate,
    });
    if (cached !== undefined && (await cached.answer())) return;
    try {
      const guarding = api && guardExchange(context, exchange, { api, body, models, schema });
      if (guarding !== undefined) {
        const checked = await guarding;
        if (checked !== body) candidates = candidatesFor(checked);
      }
      if (candidates.current.request.background !== undefined)
        context.backgroundResponses.requireSpace(exchange.record.key.keyId);
      const reserving = reserveBalance(context, exchange, candidates);
      if (reserving !== undefined) await reserving;
      await forwardRequest(context, exchange, candidates);
    } finally {
      const { record } = exchange;
      const { model, request } = candidates.current;
      record.releaseStream?.();
      followBackground(context, exchange, model, request, settler(context, record));
    }
    const { beforeEnd, answer, replaced } = candidates.current.request;
    const replacedResponse = exchange.guard?.replacedResponse;
    if (replacedResponse !== undefined) replaced?.(replacedResponse);
    if (beforeEnd !== undefined) await beforeEnd();
    const finishing = finishAnswer(context, exchange, answer);
    if (finishing !== undefined) await finishing;
    if (cached !== undefined) await cached.save();
  };
  return serveExchange(context, path, steps, caller);
}

/**
 * Guarded requests bypass the cache: its answers may be older than their guardrails.
 * @throws GatewayError 400 for a malformed header, which counts as a read
 */
async function openCache(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
  { body, candidates }: ValidatedRequest<ModelRequest>,
): Promise<CachedRequest> {
  const models = candidates.map(({ model }) => model);
  const isGuarded = context.guardrails.of(models, exchange.record.key.accountId) !== undefined;
  try {
    return new CachedRequest(context, exchange, body, isGuarded);
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

/** Returns a function that may be called much later. It keeps only the record of the request alive. */
function settler(context: DataPlaneContext, record: RequestRecord) {
  return (charge: Charge, handedOver?: FollowedResponse) => settleUsage(context, record, charge, handedOver);
}
