import type { IncomingHttpHeaders } from 'node:http';
import {
  type CallerPace,
  CHAT_TO_CHAT,
  type JsonBody,
  type JsonRequest,
  type ProviderProtocol,
  providerProtocolOf,
  serializedBody,
  type UpstreamRequest,
  writeTranslated,
} from '@model-gateway/dialects';
import {
  embeddingsRequest,
  GatewayError,
  imagesRequest,
  rerankRequest,
  speechRequest,
} from '@model-gateway/shared';
import fc from 'fast-check';
import type { z } from 'zod';
import { validateJson } from '../../../src/json/validate-json.ts';
import { NO_PACE } from '../chats.ts';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { type Json, mutatedJson } from '../mutate.ts';
import { recordedIn } from '../recorded-seeds.ts';
import { CAPABILITY_REQUESTS } from '../request-seeds.ts';
import { requireSendable } from '../sendable.ts';

/** Moderations pass unchanged, at providers that have OpenAI's API. */
type Capability = Exclude<keyof typeof CAPABILITY_REQUESTS, 'moderation'>;
const CAPABILITIES: readonly Capability[] = ['embeddings', 'rerank', 'images', 'speech'];

/** Models that are translated differently. */
const MODELS: Readonly<Record<string, readonly string[]>> = {
  cohere: ['embed-v4.0'],
  bedrock: [
    'amazon.titan-embed-text-v2:0',
    'cohere.embed-v4:0',
    'amazon.nova-canvas-v1:0',
    'arn:aws:bedrock:a',
  ],
  gemini: [
    'gemini-embedding-001',
    'imagen-4.0-generate-001',
    'gemini-2.5-flash-image',
    'gemini-2.5-flash-tts',
  ],
  vertex: ['text-embedding-005', 'gemini-embedding-2'],
  'openai-compatible': ['any'],
};
const speaks = (mimeType: string): Json => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType, data: 'AAAA' } }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 5 },
});
const ANSWERS: readonly Json[] = [
  ...recordedIn('cohere').whole,
  ...recordedIn('amazon-bedrock').whole,
  { embedding: [0.5], embeddingsByType: { float: [0.5] }, inputTextTokenCount: 3 },
  { embeddings: [{ values: [0.5] }], usageMetadata: { promptTokenCount: 3 } },
  { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 3 } },
  { predictions: [{ embeddings: { values: [0.5], statistics: { token_count: 3 } } }] },
  { predictions: [{ bytesBase64Encoded: 'AAAA', mimeType: 'image/png' }, { raiFilteredReason: 'a' }] },
  { images: ['AAAA'], error: null },
  speaks('audio/L16;rate=24000'),
  speaks('image/png'),
  { promptFeedback: { blockReason: 'SAFETY' } },
];

interface Input {
  capability: Capability;
  kind: string;
  model: string;
  request: Json;
  answer: Json;
}

const inputOf = (capability: Capability, kind: string): fc.Arbitrary<Input> =>
  fc.record({
    capability: fc.constant(capability),
    kind: fc.constant(kind),
    model: fc.constantFrom(...(MODELS[kind] ?? [])),
    request: mutatedJson(CAPABILITY_REQUESTS[capability]),
    answer: mutatedJson(ANSWERS),
  });

/** Translates requests and responses of every capability but chat for every kind of provider. */
export const capabilities: FuzzTarget<Input> = {
  name: 'capabilities',
  input: fc.oneof(
    ...CAPABILITIES.flatMap((capability) => Object.keys(MODELS).map((kind) => inputOf(capability, kind))),
  ),
  check: (input) => CHECKS[input.capability](input),
};

const CHECKS: Readonly<Record<Capability, (input: Input) => Promise<void>>> = {
  embeddings: (input) => checkAt(input, embeddingsRequest, ({ endpoints }) => endpoints.embeddings),
  rerank: (input) => checkAt(input, rerankRequest, ({ endpoints }) => endpoints.rerank),
  images: (input) => checkAt(input, imagesRequest, ({ endpoints }) => endpoints.images),
  speech: (input) =>
    checkAt(
      input,
      speechRequest,
      ({ endpoints: { speech } }) => speech && { ...speech, convertResponse: speech.readAudio },
    ),
};

interface FuzzedEndpoint<Request> {
  buildRequest(
    request: JsonRequest<Request>,
    upstreamModel: string,
    pace: CallerPace,
  ): UpstreamRequest | Promise<UpstreamRequest>;
  convertResponse?:
    | ((answer: unknown, request: Request, headers: IncomingHttpHeaders) => unknown)
    | undefined;
}

async function checkAt<Schema extends z.ZodType>(
  { answer, kind, model, request }: Input,
  schema: Schema,
  endpointIn: (protocol: ProviderProtocol) => FuzzedEndpoint<z.infer<Schema>> | undefined,
): Promise<void> {
  const protocol = providerProtocolOf(kind, { apis: [] });
  const endpoint = protocol && endpointIn(protocol);
  const isObject = typeof request === 'object' && request !== null;
  // An unknown model would be refused before the translation.
  const body = bodyOf(isObject ? { ...request, model: MODEL.id } : request, schema);
  if (protocol === undefined || endpoint === undefined || body === undefined) return;
  const translate: JsonRequest<unknown>['translate'] = (upstreamModel, translation) => {
    const written = writeTranslated(body.chunks, [CHAT_TO_CHAT, translation], { ...MODEL, upstreamModel });
    return { body: serializedBody(written.json), ignored: written.ignored };
  };
  await requireSendable(() => endpoint.buildRequest({ body, translate }, model, NO_PACE), { protocol });
  try {
    const converted = endpoint.convertResponse?.(answer, body.value, HEADERS);
    JSON.stringify(converted);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    require(thrown.status === 502 || thrown.status < 500, `status ${thrown.status}`);
  }
}

const MODEL = { id: 'acme/small', maxOutputTokens: undefined };
const HEADERS = { 'x-amzn-bedrock-input-token-count': '3' };

/** @returns undefined for a request that its schema refuses */
function bodyOf<Schema extends z.ZodType>(
  request: Json,
  schema: Schema,
): JsonBody<z.infer<Schema>> | undefined {
  const chunks = [Buffer.from(JSON.stringify(request))];
  try {
    return { ...validateJson(chunks, schema), chunks, isLarge: false };
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.status === 400) return undefined;
    throw thrown;
  }
}
