import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { servedTier } from '../chat/served-tier.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { checkContents } from '../gemini/check-contents.ts';
import { contentBody, streamContent } from '../gemini/content-answer.ts';
import { type ContentRequest, parseContentRequest } from '../gemini/content-request.ts';
import { embedContents, IMAGEN, predictImages, SPEAKER, speakContent } from '../gemini/other-methods.ts';
import { planContent, type ReportedTier } from '../gemini/plan-content.ts';
import { promptTokensByModality, sumOf } from '../gemini/prompt-tokens-by-modality.ts';
import { methodOf, type ProviderExchange, urlOf } from '../http/exchange.ts';
import { GEMINI_MODELS, requireGemini } from '../models.ts';

/** POST /v1beta/models/{model}:{method} */
export function geminiMethod(exchange: ProviderExchange): Answer {
  const { method, model } = methodOf(exchange);
  switch (method) {
    case 'predict':
      if (model !== IMAGEN) requireGemini(model);
      return jsonAnswer(predictImages(exchange.json));
    case 'batchEmbedContents':
      return jsonAnswer(embedContents(exchange.json, model));
    case 'countTokens':
      return count(exchange, model);
    default:
      if (method === 'generateContent' && model === SPEAKER)
        return jsonAnswer(speakContent(checked(exchange.json)));
      return generateContent(exchange);
  }
}

/** GET /v1beta/models */
export function listGeminiModels(): Answer {
  const models = GEMINI_MODELS.map(({ displayName, id }) => ({ name: `models/${id}`, displayName }));
  return jsonAnswer({ models });
}

/** Answers `generateContent` and `streamGenerateContent`. @throws ProviderError 404 for other methods */
export function generateContent(
  exchange: ProviderExchange,
  tierOf: (exchange: ProviderExchange, request: ContentRequest) => ReportedTier = geminiTier,
): Answer {
  const { method, model } = methodOf(exchange);
  const isStreamed = method === 'streamGenerateContent';
  if (!isStreamed && method !== 'generateContent')
    throw new ProviderError(404, 'Requested entity was not found.');
  if (isStreamed && urlOf(exchange).searchParams.get('alt') !== 'sse')
    throw new ProviderError(501, 'The simulation streams with alt=sse only.');
  const known = requireGemini(model);
  const request = checked(exchange.json);
  const tier = tierOf(exchange, request);
  const planned = planContent(request, known, exchange, tier);
  exchange.meter({
    model,
    units: planned.billed,
    serviceTier: 'serviceTier' in tier ? tier.serviceTier : tier.trafficType,
    isIncremental: true,
  });
  return isStreamed ? eventsAnswer(streamContent(planned)) : jsonAnswer(contentBody(planned));
}

/** The Gemini API names the tier in a header, too. */
function geminiTier({ fault, res }: ProviderExchange, request: ContentRequest): ReportedTier {
  const serviceTier = servedTier(request.serviceTier, fault, 'standard');
  res.setHeader('x-gemini-service-tier', serviceTier);
  return { serviceTier };
}

function count({ json }: ProviderExchange, model: string): Answer {
  requireGemini(model);
  const isWrapped = 'generateContentRequest' in Object(json);
  const { model: name, ...request } = Object(isWrapped ? Object(json).generateContentRequest : json);
  if (isWrapped && name !== `models/${model}`) throw new ProviderError(400, 'Model names do not match.');
  return countContents(request);
}

/** @param json the body of `generateContent` */
export function countContents(json: unknown): Answer {
  return jsonAnswer({ totalTokens: sumOf(promptTokensByModality(checked(json))) });
}

function checked(json: unknown): ContentRequest {
  const request = parseContentRequest(json);
  checkContents(request);
  return request;
}
