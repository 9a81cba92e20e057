import { CALLERS_NOTES, SPEECH_CONTENT_TYPES } from '@model-gateway/shared';
import type { Endpoint, ProviderProtocol } from '../dialect.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../json-body.ts';
import type { JsonRequest } from '../json-request.ts';
import { openAiChat } from './chat.ts';
import { encodeOpenAiForm } from './form.ts';
import { BEARER, openAiHeaders } from './head.ts';
import { readOpenAiError } from './refusal.ts';
import { openAiResponsesChat } from './responses/chat.ts';

/** OpenAI's API, as it and many others speak it. */
export const openAiCompatible: ProviderProtocol = {
  ...openAiHeaders(BEARER),
  requestIdHeader: 'x-request-id',
  refusal: readOpenAiError,
  endpoints: {
    chat: openAiChat,
    embeddings: json('/embeddings'),
    rerank: json('/rerank'),
    images: json('/images/generations'),
    speech: json('/audio/speech', ({ format }) => SPEECH_CONTENT_TYPES[format]),
    transcription: {
      ask: (form, upstreamModel, pace) => ({
        path: '/audio/transcriptions',
        accept: '*/*',
        body: encodeOpenAiForm(form, upstreamModel, pace),
      }),
    },
  },
};

/** The same API with Responses. */
export const openAiWithResponses: ProviderProtocol = {
  ...openAiCompatible,
  endpoints: { ...openAiCompatible.endpoints, chat: openAiResponsesChat },
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
