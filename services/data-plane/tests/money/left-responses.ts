import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, providerEntry, withoutCredential } from '@model-gateway/test-kit';
import { imageEditForm } from '../endpoints/image-edit-form.ts';
import { wavOf } from '../endpoints/wav.ts';

const messages = [{ role: 'user', content: 'hi' }];
const file = { data: wavOf(2).toString('base64'), filename: 'a.wav', mime_type: 'audio/wav' };
const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

/** A request of one route, and how its provider responds. */
export interface LeftRoute {
  name: string;
  path: string;
  model: string;
  fields: Record<string, unknown>;
  /** A form with a picture. */
  isForm?: true;
  contentType: string;
  /** The response in three parts. Only the last has the count. */
  parts: readonly [begin: string, middle: string, end: string];
  /** Nano-USD of the provider's count. */
  cost: bigint;
}

const chatPrices = { input_per_million_usd: '1', output_per_million_usd: '8' };
const PRICES = {
  chat: chatPrices,
  completions: chatPrices,
  embeddings: { input_per_million_usd: '1' },
  rerank: { search_unit_usd: '0.002' },
  moderation: { input_per_million_usd: '1' },
  images: { image_usd: '0.04' },
  speech: { characters_per_million_usd: '15' },
  transcription: { audio_second_usd: '0.0001' },
} as const;

/** The body of a request, for `post`. */
export function bodyOf({ fields, isForm, model }: LeftRoute): object {
  const all = { model, ...fields };
  return isForm === true ? imageEditForm(all) : all;
}

/** A catalog with a paid model of each capability, a chat model at Anthropic's API, and a free one. */
export function paidCatalog(baseUrl: string): CatalogDocumentInput {
  const models = Object.entries(PRICES).map(([capability, pricing]) =>
    modelEntry(
      `acme/${capability}`,
      { acme: 'm' },
      { capability: capability as keyof typeof PRICES, tier: 'paid', pricing },
    ),
  );
  return {
    providers: [
      withoutCredential(providerEntry('acme', baseUrl, { apis: ['chat', 'responses'] })),
      withoutCredential(providerEntry('claude', baseUrl, { kind: 'anthropic' })),
    ],
    models: [
      ...models,
      modelEntry('claude/chat', { claude: 'm' }, { tier: 'paid', pricing: PRICES.chat }),
      modelEntry('acme/free', { acme: 'm' }),
    ],
  };
}

/** The cost of a chat with 80 input tokens and 20,000 output tokens, nearly all of them reasoning. */
const CHAT_COST = 80n * 1_000n + 20_000n * 8_000n;
const CHAT_USAGE = { prompt_tokens: 80, completion_tokens: 20_000, total_tokens: 20_080 };
const MESSAGES_USAGE = { input_tokens: 80, output_tokens: 20_000 };
const RESPONSES_USAGE = { input_tokens: 80, output_tokens: 20_000, total_tokens: 20_080 };

/** Splits a JSON response into three parts. */
function whole(value: object): LeftRoute['parts'] {
  const text = JSON.stringify(value);
  const half = Math.floor(text.length / 2);
  return [text.slice(0, half), text.slice(half, -1), text.slice(-1)];
}

const data = (event: object) => `data: ${JSON.stringify(event)}\n\n`;
const typed = (event: { type: string; [member: string]: unknown }) => `event: ${event.type}\n${data(event)}`;

const chunk = (delta: object, more: object = {}) =>
  data({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, ...more }],
  });
const TEXT = { id: 'c', object: 'text_completion', created: 1, model: 'm' };
const textChunk = (choice: object) => data({ ...TEXT, choices: [{ index: 0, ...choice }] });
const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: null };
const text = (index: number, delta: string) =>
  typed({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: delta } });
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'in_progress',
  output: [],
};
const output = [{ type: 'message', id: 'i', role: 'assistant', status: 'completed', content: [] }];

/** Chat streams, which are aborted at their provider within 100 ms. */
export const CHAT_STREAMS: readonly LeftRoute[] = [
  {
    name: 'a stream of Chat Completions',
    path: 'chat/completions',
    model: 'acme/chat',
    fields: { messages, stream: true, max_tokens: 30_000 },
    contentType: EVENTS,
    parts: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'The answer.' }),
      `${chunk({}, { finish_reason: 'stop' })}${data({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: CHAT_USAGE })}data: [DONE]\n\n`,
    ],
    cost: CHAT_COST,
  },
  {
    name: 'a stream of Messages',
    path: 'messages',
    model: 'claude/chat',
    fields: { messages, stream: true, max_tokens: 30_000 },
    contentType: EVENTS,
    parts: [
      typed({
        type: 'message_start',
        message: { ...message, content: [], usage: { input_tokens: 80, output_tokens: 1 } },
      }),
      typed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
        text(0, 'The answer.'),
      typed({ type: 'content_block_stop', index: 0 }) +
        typed({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: MESSAGES_USAGE }) +
        typed({ type: 'message_stop' }),
    ],
    cost: CHAT_COST,
  },
  {
    name: 'a stream of Responses',
    path: 'responses',
    model: 'acme/chat',
    fields: { input: 'hi', stream: true, store: false, max_output_tokens: 30_000 },
    contentType: EVENTS,
    parts: [
      typed({ type: 'response.created', sequence_number: 0, response }),
      typed({ type: 'response.output_text.delta', sequence_number: 1, delta: 'The answer.' }),
      typed({
        type: 'response.completed',
        sequence_number: 2,
        response: { ...response, status: 'completed', output, usage: RESPONSES_USAGE },
      }),
    ],
    cost: CHAT_COST,
  },
  {
    name: 'a stream of a text completion',
    path: 'completions',
    model: 'acme/completions',
    fields: { prompt: 'hi', stream: true, max_tokens: 30_000 },
    contentType: EVENTS,
    parts: [
      textChunk({ text: '' }),
      textChunk({ text: 'The answer.' }),
      `${textChunk({ text: '', finish_reason: 'stop' })}${data({ ...TEXT, choices: [], usage: CHAT_USAGE })}data: [DONE]\n\n`,
    ],
    cost: CHAT_COST,
  },
];

/** All other responses, which are read to their end. */
export const READ_ON: readonly LeftRoute[] = [
  {
    name: 'a plain chat completion',
    path: 'chat/completions',
    model: 'acme/chat',
    fields: { messages, max_tokens: 30_000 },
    contentType: JSON_TYPE,
    parts: whole({
      ...{ id: 'c', object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, message: { role: 'assistant', content: 'The answer.' }, finish_reason: 'stop' }],
      usage: CHAT_USAGE,
    }),
    cost: CHAT_COST,
  },
  {
    name: 'a plain text completion',
    path: 'completions',
    model: 'acme/completions',
    fields: { prompt: 'hi', max_tokens: 30_000 },
    contentType: JSON_TYPE,
    parts: whole({
      ...TEXT,
      choices: [{ index: 0, text: 'The answer.', finish_reason: 'stop' }],
      usage: CHAT_USAGE,
    }),
    cost: CHAT_COST,
  },
  {
    name: 'a plain message',
    path: 'messages',
    model: 'claude/chat',
    fields: { messages, max_tokens: 30_000 },
    contentType: JSON_TYPE,
    parts: whole({
      ...message,
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Hi' }],
      usage: MESSAGES_USAGE,
    }),
    cost: CHAT_COST,
  },
  {
    name: 'a plain response',
    path: 'responses',
    model: 'acme/chat',
    fields: { input: 'hi', store: false, max_output_tokens: 30_000 },
    contentType: JSON_TYPE,
    parts: whole({ ...response, status: 'completed', output, usage: RESPONSES_USAGE }),
    cost: CHAT_COST,
  },
  {
    name: 'embeddings',
    path: 'embeddings',
    model: 'acme/embeddings',
    fields: { input: 'some text that is as long as this, or longer' },
    contentType: JSON_TYPE,
    parts: whole({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.1, 0.2] }],
      usage: { prompt_tokens: 7, total_tokens: 7 },
    }),
    cost: 7_000n,
  },
  {
    name: 'a ranking',
    path: 'rerank',
    model: 'acme/rerank',
    fields: { query: 'a', documents: ['b', 'c'] },
    contentType: JSON_TYPE,
    parts: whole({
      results: [{ index: 0, relevance_score: 0.5 }],
      meta: { billed_units: { search_units: 1 } },
    }),
    cost: 2_000_000n,
  },
  {
    name: 'images',
    path: 'images/generations',
    model: 'acme/images',
    fields: { prompt: 'a', n: 2 },
    contentType: JSON_TYPE,
    parts: whole({ created: 1, data: [{ b64_json: 'AAAA' }, { b64_json: 'AAAA' }] }),
    cost: 80_000_000n,
  },
  {
    name: 'a stream of images',
    path: 'images/generations',
    model: 'acme/images',
    fields: { prompt: 'a', n: 2, stream: true },
    contentType: EVENTS,
    parts: [
      typed({ type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'AAAA' }),
      typed({ type: 'image_generation.completed', b64_json: 'AAAA' }),
      typed({ type: 'image_generation.completed', b64_json: 'AAAA' }),
    ],
    cost: 80_000_000n,
  },
  {
    name: 'a stream of an edited image',
    path: 'images/edits',
    model: 'acme/images',
    fields: { prompt: 'a', n: 2, stream: true },
    isForm: true,
    contentType: EVENTS,
    parts: [
      typed({ type: 'image_edit.partial_image', partial_image_index: 0, b64_json: 'AAAA' }),
      typed({ type: 'image_edit.completed', b64_json: 'AAAA' }),
      typed({ type: 'image_edit.completed', b64_json: 'AAAA' }),
    ],
    cost: 80_000_000n,
  },
  {
    name: 'speech',
    path: 'audio/speech',
    model: 'acme/speech',
    fields: { input: 'x'.repeat(1_000), voice: 'alloy' },
    contentType: 'audio/mpeg',
    parts: ['aaaa', 'bbbb', 'cccc'],
    cost: 15_000_000n,
  },
  {
    name: 'speech as events',
    path: 'audio/speech',
    model: 'acme/speech',
    fields: { input: 'x'.repeat(1_000), voice: 'alloy', stream_format: 'sse' },
    contentType: EVENTS,
    parts: [
      typed({ type: 'speech.audio.delta', audio: 'AAAA' }),
      typed({ type: 'speech.audio.delta', audio: 'AAAA' }),
      typed({ type: 'speech.audio.done' }),
    ],
    cost: 15_000_000n,
  },
  {
    name: 'a transcription',
    path: 'audio/transcriptions',
    model: 'acme/transcription',
    fields: { file },
    contentType: JSON_TYPE,
    parts: whole({ text: 'hello', usage: { type: 'duration', seconds: 3 } }),
    cost: 300_000n,
  },
  {
    name: 'a stream of a transcription',
    path: 'audio/transcriptions',
    model: 'acme/transcription',
    fields: { file, stream: true },
    contentType: EVENTS,
    parts: [
      typed({ type: 'transcript.text.delta', delta: 'hel' }),
      typed({ type: 'transcript.text.delta', delta: 'lo' }),
      typed({ type: 'transcript.text.done', text: 'hello', usage: { type: 'duration', seconds: 3 } }),
    ],
    cost: 300_000n,
  },
];
