import type { SharedGateway } from '@model-gateway/test-kit';
import { imageEditForm } from '../endpoints/image-edit-form.ts';
import { wavOf } from '../endpoints/wav.ts';

const messages = [{ role: 'user', content: 'hi' }];
const WAV = wavOf(1).toString('base64');

/** Fields of a request by route, without its model. */
export const ROUTES = {
  'chat/completions': { capability: 'chat', streams: true, fields: { messages } },
  messages: { capability: 'chat', streams: true, fields: { messages, max_tokens: 50 } },
  responses: { capability: 'chat', streams: true, fields: { input: 'hi' } },
  'messages/count_tokens': { capability: 'chat', streams: false, fields: { messages } },
  'responses/input_tokens': { capability: 'chat', streams: false, fields: { input: 'hi' } },
  completions: { capability: 'completions', streams: true, fields: { prompt: 'hi' } },
  embeddings: { capability: 'embeddings', streams: false, fields: { input: 'hi' } },
  rerank: { capability: 'rerank', streams: false, fields: { query: 'a', documents: ['b', 'c'] } },
  moderations: { capability: 'moderation', streams: false, fields: { input: 'hi' } },
  'images/generations': { capability: 'images', streams: false, fields: { prompt: 'a boat' } },
  'images/edits': { capability: 'images', streams: false, fields: { prompt: 'a boat' } },
  'audio/speech': { capability: 'speech', streams: false, fields: { input: 'hi', voice: 'alloy' } },
  'audio/transcriptions': {
    capability: 'transcription',
    streams: false,
    fields: { file: { data: WAV, filename: 'a.wav' } },
  },
} as const;
export type Route = keyof typeof ROUTES;

/** Sends the usual request of a route with these fields besides. */
export function askRoute(
  gateway: SharedGateway,
  key: string,
  route: Route,
  fields: object,
  headers: Record<string, string> = {},
) {
  const body = { ...ROUTES[route].fields, ...fields };
  return gateway.ask(route, route === 'images/edits' ? imageEditForm(body) : body, { key, headers });
}
