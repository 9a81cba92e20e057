import { CALLERS_NOTES, SPEECH_CONTENT_TYPES } from '@model-gateway/shared';
import type { Endpoint, ProviderDialect } from '../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../json-body.ts';
import type { JsonRequest } from '../json-request.ts';
import { chat } from './chat.ts';
import { encodeForm } from './form.ts';
import { BEARER, headsWith } from './head.ts';
import { refusal } from './refusal.ts';
import { chat as chatWithResponses } from './responses/chat.ts';

/** OpenAI's API, as it and many others speak it. */
export const openAiCompatible: ProviderDialect = {
  ...headsWith(BEARER),
  requestIdHeader: 'x-request-id',
  refusal,
  endpoints: {
    chat,
    embeddings: json('/embeddings'),
    rerank: json('/rerank'),
    images: json('/images/generations'),
    speech: json('/audio/speech', ({ format }) => SPEECH_CONTENT_TYPES[format]),
    transcription: {
      ask: (form, upstreamModel, pace) => ({
        path: '/audio/transcriptions',
        accept: '*/*',
        body: encodeForm(form, upstreamModel, pace),
      }),
    },
  },
};

/** The same API with Responses. */
export const openAiWithResponses: ProviderDialect = {
  ...openAiCompatible,
  endpoints: { ...openAiCompatible.endpoints, chat: chatWithResponses },
};

function json<Request extends { streamed: boolean }>(
  path: string,
  accept: (request: Request) => string = () => JSON_TYPE,
): Endpoint<JsonRequest<Request>> {
  return {
    ask: ({ body }, upstreamModel) => ({
      path,
      accept: body.value.streamed ? EVENTS : accept(body.value),
      body: jsonProviderBody(body, upstreamModel, { [CALLERS_NOTES]: undefined }),
    }),
  };
}
