import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { contentBody, streamContent } from '../gemini/answer-content.ts';
import { checkContents } from '../gemini/check-contents.ts';
import { type ContentRequest, parseContentRequest } from '../gemini/content-request.ts';
import { embedContents } from '../gemini/embed-contents.ts';
import { GEMINI_MODELS, requireGemini } from '../gemini/gemini-models.ts';
import { planContent } from '../gemini/plan-content.ts';
import { promptTokens } from '../gemini/prompt-tokens.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { loadTokenizer } from '../text/tokenizer.ts';

const CALLED = /^\/v1beta\/models\/([^/:?]+):([A-Za-z]+)(?:\?(.*))?$/;

/** POST /v1beta/models/{model}:{method} */
export async function geminiMethod(exchange: ProviderExchange): Promise<Answer> {
  const [, name = '', method, query] = CALLED.exec(exchange.req.url ?? '') ?? [];
  const model = decodeURIComponent(name);
  switch (method) {
    case 'generateContent':
      return generateContent(exchange, model, false);
    case 'streamGenerateContent':
      if (new URLSearchParams(query).get('alt') === 'sse') return generateContent(exchange, model, true);
      throw new ProviderError(501, 'The simulation streams with alt=sse only.');
    case 'batchEmbedContents':
      return jsonAnswer(embedContents(exchange.json, model));
    case 'countTokens':
      return count(exchange, model);
    default:
      throw new ProviderError(404, 'Requested entity was not found.');
  }
}

/** GET /v1beta/models */
export function listGeminiModels(): Answer {
  const models = GEMINI_MODELS.map(({ displayName, id }) => ({ name: `models/${id}`, displayName }));
  return jsonAnswer({ models });
}

export async function generateContent(
  exchange: ProviderExchange,
  model: string,
  isStreamed: boolean,
): Promise<Answer> {
  const { credential, fault, json, signal, tokenDelayMs } = exchange;
  const { draws = false } = requireGemini(model);
  const request = checked(json);
  const tokenizer = await loadTokenizer();
  const planned = planContent(request, { credential, draws, fault, model, tokenizer });
  if (!isStreamed) return jsonAnswer(contentBody(planned));
  return eventsAnswer(streamContent(planned, { signal, tokenDelayMs, tokenizer }));
}

async function count({ json }: ProviderExchange, model: string): Promise<Answer> {
  requireGemini(model);
  const given = typeof json === 'object' && json !== null && 'generateContentRequest' in json;
  const { model: named, ...asked } = given ? Object(json.generateContentRequest) : Object(json);
  if (given && named !== `models/${model}`) throw new ProviderError(400, 'Model names do not match.');
  return countContents(asked);
}

/** @param json what generateContent is sent */
export async function countContents(json: unknown): Promise<Answer> {
  const prompt = promptTokens(checked(json), await loadTokenizer());
  return jsonAnswer({ totalTokens: Object.values(prompt).reduce((sum, tokens) => sum + tokens, 0) });
}

function checked(json: unknown): ContentRequest {
  const request = parseContentRequest(json);
  checkContents(request);
  return request;
}
