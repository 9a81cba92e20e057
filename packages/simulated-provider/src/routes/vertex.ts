import { type Answer, jsonAnswer } from '../answers/answer.ts';
import { servedTier } from '../chat/served-tier.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';
import type { ContentRequest } from '../gemini/content-request.ts';
import type { ReportedTier } from '../gemini/plan-content.ts';
import { methodOf, type ProviderExchange } from '../http/exchange.ts';
import { type ParseOptions, parseCount, parseMessages } from '../messages/parse-messages.ts';
import { refuseOwnApiMembers } from '../messages/refuse-own-api-members.ts';
import { versionAndBetas } from '../protocols/anthropic.ts';
import { embedContent, predictEmbeddings } from '../vertex/predict-embeddings.ts';
import { countContents, generateContent } from './gemini.ts';
import { answerMessages, answerTokenCount } from './messages.ts';

/** The model name under which requests to count the tokens of all models are sent. */
const COUNTER = 'count-tokens';
/** Requests of Messages are checked in this version. */
const VERSION = '2023-06-01';

/** POST …/publishers/google/models/{model}:{method} */
export function vertexMethod(exchange: ProviderExchange): Answer {
  const { method, model } = methodOf(exchange);
  switch (method) {
    case 'countTokens':
      for (const name of ['toolConfig', 'generateContentRequest']) {
        if (name in Object(exchange.json))
          refuse(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);
      }
      return countContents(exchange.json);
    case 'predict':
      return jsonAnswer(predictEmbeddings(exchange.json, model));
    case 'embedContent':
      return jsonAnswer(embedContent(exchange.json, model));
    default:
      return generateContent(exchange, vertexTier);
  }
}

/** Vertex AI takes the tier in a header, and has words of its own for it in the usage. */
function vertexTier({ fault, req }: ProviderExchange, request: ContentRequest): ReportedTier {
  if (request.serviceTier !== undefined)
    refuse('Invalid JSON payload received. Unknown name "serviceTier": Cannot find field.');
  const requested = req.headers['x-vertex-ai-llm-shared-request-type'];
  const word = typeof requested === 'string' ? `ON_DEMAND_${requested.toUpperCase()}` : undefined;
  return { trafficType: servedTier(word, fault, 'ON_DEMAND') };
}

/** POST …/publishers/anthropic/models/{model}:rawPredict and :streamRawPredict */
export function vertexClaude(exchange: ProviderExchange): Answer {
  const { method, model } = methodOf(exchange);
  const { anthropic_version: version, ...body } = { ...Object(exchange.json) };
  if (version !== 'vertex-2023-10-16') refuse('anthropic_version: Field required');
  checkBetas(exchange);
  refuseOwnApiMembers({ ...body }, versionAndBetas(exchange.req.headers).betas);
  if (JSON.stringify(body).includes('"source":{"type":"url"'))
    refuse('messages.0.content.0.image.source.base64.data: URL sources are not supported');
  const isStreamed = method === 'streamRawPredict';
  if (model === COUNTER && !isStreamed) return answerTokenCount(parseCount(body, optionsOf(exchange)));
  if ('model' in body) refuse('model: Extra inputs are not permitted');
  if (!isStreamed && method !== 'rawPredict') throw new ProviderError(404, 'Requested entity was not found.');
  const request = parseMessages({ ...body, model }, optionsOf(exchange));
  if ((request.stream === true) !== isStreamed) refuse(`stream: Input should be ${isStreamed}`);
  return answerMessages(exchange, request);
}

function checkBetas({ req }: ProviderExchange): void {
  const unknown = versionAndBetas(req.headers).betas.filter((beta) =>
    /^(?:advanced-tool-use|files-api|prompt-caching-scope)-/.test(beta),
  );
  if (unknown.length === 0) return;
  refuse(`Unexpected value(s) \`${unknown.join('`, `')}\` for the \`anthropic-beta\` header.`);
}

function optionsOf({ fault, req }: ProviderExchange): ParseOptions {
  return {
    version: VERSION,
    betas: versionAndBetas(req.headers).betas,
    mergeRoles: fault.merge_roles === true,
  };
}
