import type { Answer } from '../answers/answer.ts';
import { jsonAnswer } from '../answers/answer.ts';
import { ProviderError, refuse } from '../errors/provider-error.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { type ParseOptions, parseCount, parseMessages } from '../messages/parse-request.ts';
import { headOf } from '../protocols/anthropic.ts';
import { embedContent, predictEmbeddings } from '../vertex/predict-embeddings.ts';
import { countContents, generateContent } from './gemini.ts';
import { answerMessages, countMessages } from './messages.ts';

const CALLED = /\/models\/([^/:?]+):([A-Za-z]+)(?:\?(.*))?$/;
/** The model that counts for the others. */
const COUNTER = 'count-tokens';
/** The version in which requests of Messages are checked here. */
const VERSION = '2023-06-01';

/** POST …/publishers/google/models/{model}:{method} */
export async function vertexMethod(exchange: ProviderExchange): Promise<Answer> {
  const { method, model, query } = calledIn(exchange);
  switch (method) {
    case 'generateContent':
      return generateContent(exchange, model, false);
    case 'streamGenerateContent':
      if (query.get('alt') === 'sse') return generateContent(exchange, model, true);
      throw new ProviderError(501, 'The simulation streams with alt=sse only.');
    case 'countTokens':
      for (const name of ['toolConfig', 'generateContentRequest']) {
        if (name in objectIn(exchange.json))
          refuse(`Invalid JSON payload received. Unknown name "${name}": Cannot find field.`);
      }
      return countContents(exchange.json);
    case 'predict':
      return jsonAnswer(predictEmbeddings(exchange.json, model));
    case 'embedContent':
      return jsonAnswer(embedContent(exchange.json, model));
    default:
      throw notFound();
  }
}

/** POST …/publishers/anthropic/models/{model}:rawPredict and :streamRawPredict */
export async function vertexClaude(exchange: ProviderExchange): Promise<Answer> {
  const { method, model } = calledIn(exchange);
  const { anthropic_version: version, ...body } = objectIn(exchange.json);
  if (version !== 'vertex-2023-10-16') refuse('anthropic_version: Field required');
  checkBetas(exchange);
  if (JSON.stringify(body).includes('"source":{"type":"url"'))
    refuse('messages.0.content.0.image.source.base64.data: URL sources are not supported');
  const isStreamed = method === 'streamRawPredict';
  if (model === COUNTER && !isStreamed) return countMessages(parseCount(body, optionsOf(exchange)));
  if ('model' in body) refuse('model: Extra inputs are not permitted');
  if (!isStreamed && method !== 'rawPredict') throw notFound();
  const request = parseMessages({ ...body, model }, optionsOf(exchange));
  if ((request.stream === true) !== isStreamed) refuse(`stream: Input should be ${isStreamed}`);
  return answerMessages(exchange, request);
}

function checkBetas({ req }: ProviderExchange): void {
  const unknown = headOf(req.headers).betas.filter((beta) =>
    /^(?:files-api|prompt-caching-scope)-/.test(beta),
  );
  if (unknown.length === 0) return;
  refuse(`Unexpected value(s) \`${unknown.join('`, `')}\` for the \`anthropic-beta\` header.`);
}

function optionsOf({ fault, req }: ProviderExchange): ParseOptions {
  return { version: VERSION, betas: headOf(req.headers).betas, mergeRoles: fault.merge_roles === true };
}

function calledIn({ req }: ProviderExchange): { model: string; method: string; query: URLSearchParams } {
  const [, name = '', method = '', query] = CALLED.exec(req.url ?? '') ?? [];
  return { model: decodeURIComponent(name), method, query: new URLSearchParams(query) };
}

function notFound(): ProviderError {
  return new ProviderError(404, 'Requested entity was not found.');
}

function objectIn(json: unknown): Record<string, unknown> {
  return typeof json === 'object' && json !== null ? { ...json } : {};
}
