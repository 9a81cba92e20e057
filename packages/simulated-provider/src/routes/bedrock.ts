import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { asMessages } from '../bedrock/as-messages.ts';
import { converseBody, streamConverse } from '../bedrock/converse-answer.ts';
import { converseRequest } from '../bedrock/converse-request.ts';
import { invokedBody, invokedEvents } from '../bedrock/guarded.ts';
import { invokeCanvas } from '../bedrock/invoke-canvas.ts';
import { invokeCohereEmbed, invokeTitan } from '../bedrock/invoke-embeddings.ts';
import { invokeRerank, RERANK_MODELS } from '../bedrock/rerank.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { CLAUDE_MODELS } from '../messages/claude-models.ts';
import { parseMessages } from '../messages/parse-request.ts';
import { type Message, planMessage } from '../messages/plan-message.ts';
import { promptBlocks } from '../messages/prompt-blocks.ts';
import { streamMessage } from '../messages/stream-message.ts';
import { loadTokenizer, type Tokenizer } from '../text/tokenizer.ts';

const ANTHROPIC = 'anthropic.';
/** Models by Converse: one that thinks and caches, and one that does neither. */
const CONVERSE_MODELS = ['amazon.nova-2-sim-v1:0', 'meta.sim-llama-v1:0'];
const TITAN = 'amazon.titan-embed-text-sim-v2:0';
const CANVAS = 'amazon.nova-canvas-sim-v1:0';
const COHERE_EMBED = 'cohere.embed-sim-v4:0';
/** The version in which requests of Messages are checked here. */
const VERSION = '2023-06-01';

/** POST /model/{id}/converse */
export async function converse(exchange: ProviderExchange): Promise<Answer> {
  return jsonAnswer(converseBody((await conversed(exchange)).message));
}

/** POST /model/{id}/converse-stream */
export async function converseStream(exchange: ProviderExchange): Promise<Answer> {
  const { message, tokenizer } = await conversed(exchange);
  return eventsAnswer(streamConverse(message, exchange, tokenizer));
}

/** POST /model/{id}/invoke */
export async function invoke(exchange: ProviderExchange): Promise<Answer> {
  const model = modelIn(exchange);
  if (model === TITAN) return invokeTitan(exchange);
  if (model === COHERE_EMBED) return invokeCohereEmbed(exchange);
  if (model === CANVAS) return invokeCanvas(exchange);
  if (RERANK_MODELS.includes(model)) return invokeRerank(exchange, model);
  return jsonAnswer(invokedBody((await invoked(exchange)).message));
}

/** POST /model/{id}/invoke-with-response-stream */
export async function invokeStream(exchange: ProviderExchange): Promise<Answer> {
  const { message, tokenizer } = await invoked(exchange);
  const { fault, signal, tokenDelayMs } = exchange;
  const pingsOnly = fault.sse === 'pings_only';
  const options = { pingsOnly, signal, tokenDelayMs, tokenizer };
  return eventsAnswer(invokedEvents(message, (one) => streamMessage(one, options)));
}

/** POST /model/{id}/count-tokens: of a foundation model, not of a profile, and with a body of InvokeModel. */
export async function countTokens(exchange: ProviderExchange): Promise<Answer> {
  const { input } = parseFields(countRequest, exchange.json);
  const { betas, body } = requestInvoked(
    JSON.parse(Buffer.from(input.invokeModel.body, 'base64').toString()),
  );
  const model = modelIn(exchange);
  if (!isClaude(model)) refuse("The provided model doesn't support counting tokens.");
  const request = { ...body, model: model.slice(ANTHROPIC.length) };
  const parsed = parseMessages(request, { version: VERSION, betas, mergeRoles: true });
  const blocks = promptBlocks(parsed, await loadTokenizer());
  return jsonAnswer({ inputTokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0) });
}

const countRequest = z.strictObject({
  input: z.strictObject({ invokeModel: z.strictObject({ body: z.base64() }) }),
});

interface Planned {
  message: Message;
  tokenizer: Tokenizer;
}

function conversed(exchange: ProviderExchange): Promise<Planned> {
  const model = modelIn(exchange);
  if (!CONVERSE_MODELS.includes(model)) throw unknownModel();
  const request = parseFields(converseRequest, exchange.json);
  if (!model.startsWith('amazon.nova') && JSON.stringify(request).includes('"cachePoint"'))
    refuse('You invoked an unsupported model or your request did not allow prompt caching.');
  return planned(exchange, asMessages(request, model), []);
}

function invoked(exchange: ProviderExchange): Promise<Planned> {
  const model = modelIn(exchange);
  if (!isClaude(model)) throw unknownModel();
  const { betas, body } = requestInvoked(exchange.json);
  return planned(exchange, { ...body, model: model.slice(ANTHROPIC.length) }, betas);
}

function isClaude(model: string): boolean {
  return model.startsWith(ANTHROPIC) && CLAUDE_MODELS.some(({ id }) => id === model.slice(ANTHROPIC.length));
}

/** A body of Messages as InvokeModel takes it. */
function requestInvoked(json: unknown): { betas: string[]; body: object } {
  const { anthropic_beta: betas = [], anthropic_version: version, ...body } = objectIn(json);
  if (version !== 'bedrock-2023-05-31') refuse('anthropic_version: Field required');
  for (const member of ['model', 'stream']) {
    if (member in body) refuse(`${member}: Extra inputs are not permitted`);
  }
  const named = Array.isArray(betas)
    ? betas.map(String)
    : refuse('anthropic_beta: Input should be a valid list');
  if (named.some((beta) => beta.startsWith('claude-code-'))) refuse('invalid beta flag');
  return { betas: named, body };
}

async function planned(
  { credential, fault, promptCache }: ProviderExchange,
  request: object,
  betas: readonly string[],
): Promise<Planned> {
  const parsed = parseMessages(request, { version: VERSION, betas, mergeRoles: fault.merge_roles === true });
  const tokenizer = await loadTokenizer();
  return { message: planMessage(parsed, { credential, fault, promptCache, tokenizer }), tokenizer };
}

function modelIn({ req }: ProviderExchange): string {
  const [, name = ''] = /^\/model\/([^/]+)\//.exec(req.url ?? '') ?? [];
  return decodeURIComponent(name);
}

function unknownModel(): ProviderError {
  return new ProviderError(400, 'The provided model identifier is invalid.');
}

function objectIn(json: unknown): Record<string, unknown> {
  return typeof json === 'object' && json !== null ? { ...json } : {};
}
