import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { converseBody, streamConverse } from '../bedrock/converse-answer.ts';
import { converseRequest } from '../bedrock/converse-request.ts';
import { convertToMessages } from '../bedrock/convert-to-messages.ts';
import {
  invokeCanvas,
  invokeCohereEmbed,
  invokedBody,
  invokedEvents,
  invokeTitan,
} from '../bedrock/invoke-models.ts';
import { invokeRerank, RERANK_MODELS } from '../bedrock/rerank.ts';
import { servedTier } from '../chat/served-tier.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { parseMessages } from '../messages/parse-messages.ts';
import { type Message, planMessage } from '../messages/plan-message.ts';
import { countPrompt } from '../messages/prompt-blocks.ts';
import { refuseOwnApiMembers } from '../messages/refuse-own-api-members.ts';
import { CLAUDE_MODELS } from '../models.ts';

const ANTHROPIC = 'anthropic.';
/** Models of Converse: one that thinks and caches, and one that does neither. */
const CONVERSE_MODELS = ['amazon.nova-2-sim-v1:0', 'meta.sim-llama-v1:0'];
const TITAN = 'amazon.titan-embed-text-sim-v2:0';
const CANVAS = 'amazon.nova-canvas-sim-v1:0';
const COHERE_EMBED = 'cohere.embed-sim-v4:0';
/** Requests of Messages are checked in this version. */
const VERSION = '2023-06-01';

/** Names the service tier in requests and responses of InvokeModel. */
const TIER_HEADER = 'x-amzn-bedrock-service-tier';

/** POST /model/{id}/converse */
export function converse(exchange: ProviderExchange): Answer {
  return jsonAnswer(converseBody(...converseMessage(exchange)));
}

/** POST /model/{id}/converse-stream */
export function converseStream(exchange: ProviderExchange): Answer {
  return eventsAnswer(streamConverse(...converseMessage(exchange)));
}

/** POST /model/{id}/invoke */
export function invoke(exchange: ProviderExchange): Answer {
  const model = modelIn(exchange);
  if (model === TITAN) return invokeTitan(exchange);
  if (model === COHERE_EMBED) return invokeCohereEmbed(exchange);
  if (model === CANVAS) return invokeCanvas(exchange);
  if (RERANK_MODELS.includes(model)) return invokeRerank(exchange, model);
  return jsonAnswer(invokedBody(invokeMessage(exchange)));
}

/** POST /model/{id}/invoke-with-response-stream */
export function invokeStream(exchange: ProviderExchange): Answer {
  return eventsAnswer(invokedEvents(invokeMessage(exchange), exchange.fault.sse === 'pings_only'));
}

/** POST /model/{id}/count-tokens: for a foundation model, not a profile, with a body of InvokeModel. */
export function countTokens(exchange: ProviderExchange): Answer {
  const { input } = parseFields(countRequest, exchange.json);
  const { betas, body } = readInvoked(JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString()));
  const model = modelIn(exchange);
  if (!isClaude(model)) refuse("The provided model doesn't support counting tokens.");
  const request = { ...body, model: model.slice(ANTHROPIC.length) };
  const parsed = parseMessages(request, { version: VERSION, betas, mergeRoles: true });
  return jsonAnswer({ inputTokens: countPrompt(parsed) });
}

const countRequest = z.strictObject({
  input: z.strictObject({ invokeModel: z.strictObject({ body: z.base64() }) }),
});

function converseMessage(exchange: ProviderExchange): [Message, serviceTier: string] {
  const model = modelIn(exchange);
  if (!CONVERSE_MODELS.includes(model)) throw unknownModel();
  const request = parseFields(converseRequest, exchange.json);
  if (!model.startsWith('amazon.nova') && JSON.stringify(request).includes('"cachePoint"'))
    refuse('You invoked an unsupported model or your request did not allow prompt caching.');
  const tier = servedTier(request.serviceTier?.type, exchange.fault, 'default');
  return [plan(exchange, convertToMessages(request, model), [], tier), tier];
}

function invokeMessage(exchange: ProviderExchange): Message {
  const model = modelIn(exchange);
  if (!isClaude(model)) throw unknownModel();
  const { betas, body } = readInvoked(exchange.json);
  const { fault, req, res } = exchange;
  const tier = servedTier(req.headers[TIER_HEADER], fault, 'default');
  res.setHeader(TIER_HEADER, tier);
  return plan(exchange, { ...body, model: model.slice(ANTHROPIC.length) }, betas, tier);
}

function isClaude(model: string): boolean {
  return model.startsWith(ANTHROPIC) && CLAUDE_MODELS.some(({ id }) => id === model.slice(ANTHROPIC.length));
}

/** Reads a body of InvokeModel, which is one of Messages with its version and beta features. */
function readInvoked(json: unknown): { betas: string[]; body: object } {
  const given: Record<string, unknown> = { ...Object(json) };
  const { anthropic_beta: betas = [], anthropic_version: version, simulate: _, ...body } = given;
  if (version !== 'bedrock-2023-05-31') refuse('anthropic_version: Field required');
  for (const member of ['model', 'service_tier', 'stream']) {
    if (member in body) refuse(`${member}: Extra inputs are not permitted`);
  }
  const named = Array.isArray(betas)
    ? betas.map(String)
    : refuse('anthropic_beta: Input should be a valid list');
  if (named.some((beta) => /^(?:claude-code|advanced-tool-use)-/.test(beta))) refuse('invalid beta flag');
  refuseOwnApiMembers({ ...body }, named);
  return { betas: named, body };
}

function plan(
  exchange: ProviderExchange,
  request: object,
  betas: readonly string[],
  serviceTier: string,
): Message {
  const mergeRoles = exchange.fault.merge_roles === true;
  const message = planMessage(parseMessages(request, { version: VERSION, betas, mergeRoles }), exchange);
  exchange.meter({ model: modelIn(exchange), units: message.usage.billed, serviceTier, isIncremental: true });
  return message;
}

function modelIn({ req }: ProviderExchange): string {
  const [, name = ''] = /^\/model\/([^/]+)\//.exec(req.url ?? '') ?? [];
  return decodeURIComponent(name);
}

function unknownModel(): ProviderError {
  return new ProviderError(400, 'The provided model identifier is invalid.');
}
