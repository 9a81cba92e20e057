import {
  CALLERS_NOTES,
  type ProviderTraits,
  presetTraits,
  SPEECH_CONTENT_TYPES,
} from '@model-gateway/shared';
import type { JsonRequest } from '../../interfaces/json-request.ts';
import type { ChatEndpoint, Endpoint, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { BEARER } from '../shared/build-headers.ts';
import { EVENTS, JSON_TYPE, jsonProviderBody } from '../shared/write-json-body.ts';
import { encodeImageEdit } from './encode-image-edit.ts';
import { encodeOpenAiForm } from './encode-openai-form.ts';
import { openAiChat } from './openai-chat.ts';
import { openAiCompletions } from './openai-completions.ts';
import { openAiHeaders } from './openai-headers.ts';

/** OpenAI's API, which many other providers have, at a server with these traits. */
export function openAiCompatibleWith(traits: ProviderTraits, chat: ChatEndpoint): ProviderProtocol {
  const completions = openAiCompletions(traits);
  return { ...openAiCompatible, endpoints: { ...openAiCompatible.endpoints, chat, completions } };
}

/** The protocol of servers without known traits. */
export const openAiCompatible: ProviderProtocol = {
  ...openAiHeaders(BEARER),
  requestIdHeader: 'x-request-id',
  endpoints: {
    chat: openAiChat(presetTraits('generic')),
    completions: openAiCompletions(presetTraits('generic')),
    embeddings: json('/embeddings'),
    rerank: json('/rerank'),
    moderation: json('/moderations'),
    images: {
      ...json('/images/generations'),
      edits: {
        buildRequest: (edit, upstreamModel) => ({
          path: '/images/edits',
          accept: edit.value.streamed ? EVENTS : JSON_TYPE,
          body: encodeImageEdit(edit, upstreamModel),
        }),
      },
    },
    speech: json('/audio/speech', ({ format }) => SPEECH_CONTENT_TYPES[format]),
    transcription: {
      buildRequest: (form, upstreamModel, pace) => ({
        path: '/audio/transcriptions',
        accept: '*/*',
        body: encodeOpenAiForm(form, upstreamModel, pace),
      }),
    },
  },
};

function json<Request extends { streamed: boolean }>(
  path: string,
  accept: (request: Request) => string = () => JSON_TYPE,
): Endpoint<JsonRequest<Request>> {
  return {
    buildRequest: ({ body }, upstreamModel) => ({
      path,
      accept: body.value.streamed ? EVENTS : accept(body.value),
      body: jsonProviderBody(body, upstreamModel, { [CALLERS_NOTES]: undefined }),
    }),
  };
}
