import type { RequestListener } from 'node:http';
import {
  chatCompletionsRequest,
  completionsRequest,
  embeddingsRequest,
  imagesRequest,
  messagesRequest,
  moderationsRequest,
  rerankRequest,
  responsesRequest,
  speechRequest,
} from '@model-gateway/shared';
import { embeddingsCall } from '../capabilities/embeddings.ts';
import { imagesCall } from '../capabilities/images.ts';
import { moderationsCall } from '../capabilities/moderations.ts';
import { rerankCall } from '../capabilities/rerank.ts';
import { speechCall } from '../capabilities/speech.ts';
import { chatCompletionsCall } from '../chat/chat-completions-call.ts';
import { completionsCall } from '../chat/completions-call.ts';
import { messagesCall } from '../chat/messages-call.ts';
import { compactionCall, responsesCall } from '../chat/responses-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { MESSAGES_CALLER } from '../http/messages-caller.ts';
import { jsonRoute } from './json-route.ts';
import { validateCompletionsRequest } from './validate-completions-request.ts';
import { validateMessagesRequest } from './validate-messages-request.ts';
import { validateCompaction, validateResponsesRequest } from './validate-responses-request.ts';

/** Builds the routes of all POST endpoints with a JSON body, by path. */
export function jsonRoutes(context: DataPlaneContext): ReadonlyMap<string, RequestListener> {
  const chat = { path: '/v1/chat/completions', api: 'chat-completions', capability: 'chat' } as const;
  const messages = {
    path: '/v1/messages',
    api: 'messages',
    capability: 'chat',
    caller: MESSAGES_CALLER,
    validate: validateMessagesRequest,
  } as const;
  const responses = {
    path: '/v1/responses',
    api: 'responses',
    capability: 'chat',
    validate: validateResponsesRequest,
  } as const;
  const compact = {
    path: '/v1/responses/compact',
    api: 'responses',
    capability: 'chat',
    validate: validateCompaction,
  } as const;
  const completions = {
    path: '/v1/completions',
    capability: 'completions',
    validate: validateCompletionsRequest,
  } as const;
  const embeddings = { path: '/v1/embeddings', capability: 'embeddings' } as const;
  const rerank = { path: '/v1/rerank', capability: 'rerank' } as const;
  const moderations = { path: '/v1/moderations', capability: 'moderation' } as const;
  const images = { path: '/v1/images/generations', capability: 'images' } as const;
  const speech = { path: '/v1/audio/speech', capability: 'speech' } as const;
  return new Map([
    [chat.path, jsonRoute(context, { ...chat, schema: chatCompletionsRequest, call: chatCompletionsCall })],
    [messages.path, jsonRoute(context, { ...messages, schema: messagesRequest, call: messagesCall })],
    [responses.path, jsonRoute(context, { ...responses, schema: responsesRequest, call: responsesCall })],
    [compact.path, jsonRoute(context, { ...compact, schema: responsesRequest, call: compactionCall })],
    [
      completions.path,
      jsonRoute(context, { ...completions, schema: completionsRequest, call: completionsCall }),
    ],
    [embeddings.path, jsonRoute(context, { ...embeddings, schema: embeddingsRequest, call: embeddingsCall })],
    [
      moderations.path,
      jsonRoute(context, { ...moderations, schema: moderationsRequest, call: moderationsCall }),
    ],
    [rerank.path, jsonRoute(context, { ...rerank, schema: rerankRequest, call: rerankCall })],
    [images.path, jsonRoute(context, { ...images, schema: imagesRequest, call: imagesCall })],
    [speech.path, jsonRoute(context, { ...speech, schema: speechRequest, call: speechCall })],
  ]);
}
