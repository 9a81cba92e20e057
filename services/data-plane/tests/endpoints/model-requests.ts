import { randomBytes } from 'node:crypto';
import { type CatalogDocumentInput, MAX_FORM_BYTES } from '@model-gateway/shared';
import { bothApis } from './both-apis.ts';
import { PNG } from './image-edit-form.ts';
import { wavOf } from './wav.ts';

/** A request of one route: its fields, and how they are written. */
export interface ModelRoute {
  name: string;
  path: string;
  /** Part of the names of its models, `<provider>/<model>-pro`. */
  model: string;
  isForm?: boolean;
  /** By default `notre`, which the gateway removes. Without it, spaces make the request large. */
  hasNotes?: false;
  fields: Record<string, unknown>;
}

/** Makes each request large without changing its meaning. */
const PADDING = 'x'.repeat(192 * 1024);
const WAV = wavOf(6);
const messages = [{ role: 'user', content: 'hi' }];
const image = { prompt: 'a red square', n: 1, size: '256x256' };
const speech = { input: 'Hello there, this is a test.', voice: 'alloy' };
const file = { data: WAV.toString('base64'), filename: 'a.wav', mime_type: 'audio/wav' };

const message = { path: 'messages', model: 'claude', hasNotes: false } as const;

export const MODEL_ROUTES: ModelRoute[] = [
  { name: 'chat', path: 'chat/completions', model: 'chat', fields: { messages } },
  { name: 'streamed chat', path: 'chat/completions', model: 'chat', fields: { messages, stream: true } },
  { name: 'messages', ...message, fields: { messages, max_tokens: 100 } },
  { name: 'streamed messages', ...message, fields: { messages, max_tokens: 100, stream: true } },
  { name: 'completions', path: 'completions', model: 'complete', fields: { prompt: 'hi' } },
  {
    name: 'streamed completions',
    path: 'completions',
    model: 'complete',
    fields: { prompt: 'hi', stream: true },
  },
  { name: 'embeddings', path: 'embeddings', model: 'embed', fields: { input: ['a', 'b'] } },
  { name: 'rerank', path: 'rerank', model: 'rerank', fields: { query: 'a', documents: ['b', 'c'] } },
  { name: 'moderations', path: 'moderations', model: 'moderate', fields: { input: ['a', 'b'] } },
  { name: 'images', path: 'images/generations', model: 'image', fields: image },
  { name: 'streamed images', path: 'images/generations', model: 'image', fields: { ...image, stream: true } },
  {
    name: 'an edit of an image',
    path: 'images/edits',
    model: 'image',
    isForm: true,
    fields: { prompt: 'a boat', stream: true, padding: PADDING },
  },
  { name: 'speech', path: 'audio/speech', model: 'speech', fields: speech },
  {
    name: 'speech as events',
    path: 'audio/speech',
    model: 'speech',
    fields: { ...speech, stream_format: 'sse' },
  },
  { name: 'transcription in JSON', path: 'audio/transcriptions', model: 'transcribe', fields: { file } },
  {
    name: 'transcription of a form',
    path: 'audio/transcriptions',
    model: 'transcribe',
    isForm: true,
    fields: {},
  },
  {
    name: 'streamed transcription of a form',
    path: 'audio/transcriptions',
    model: 'transcribe',
    isForm: true,
    fields: { stream: true },
  },
];

/** The body of a request; `simulate` is for the simulated provider. */
export function writeRequest(
  route: ModelRoute,
  model: string,
  simulate: object = {},
): { contentType: string; bytes: Buffer } {
  const fields = { model, ...route.fields, simulate };
  if (route.isForm !== true) {
    const json = JSON.stringify({ ...fields, ...(route.hasNotes === false ? {} : { notre: PADDING }) });
    const spaces = route.hasNotes === false ? ' '.repeat(PADDING.length) : '';
    const bytes = Buffer.from(`{${spaces}${json.slice(1)}`);
    return { contentType: 'application/json', bytes };
  }
  const boundary = randomBytes(12).toString('hex');
  const part = (head: string, content: string | Buffer) =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from('\r\n'),
    ]);
  const texts = Object.entries(fields).map(([name, value]) =>
    part(`name="${name}"`, typeof value === 'string' ? value : JSON.stringify(value)),
  );
  const file =
    route.path === 'images/edits'
      ? part('name="image"; filename="a.png"\r\nContent-Type: image/png', PNG)
      : part('name="file"; filename="a.wav"\r\nContent-Type: audio/wav', WAV);
  const bytes = Buffer.concat([...texts, file, Buffer.from(`--${boundary}--\r\n`)]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes };
}

export const TOO_LARGE_BYTES = MAX_FORM_BYTES + 1;

/**
 * Offers each model of both APIs also at providers that fail: `dead/` is not listening, `slow/` has short
 * time-outs, and `locked/` has no credential.
 */
export function catalogOfFaults(baseUrl: string, deadPort: number): CatalogDocumentInput {
  const sound = bothApis(baseUrl);
  const others = FAULTS.flatMap(([fault, changes]) =>
    sound.providers.map((provider) => ({
      ...provider,
      ...changes,
      id: provider.id.replace(/^sim/, fault),
      ...(fault === 'dead' ? { base_url: `http://127.0.0.1:${deadPort}/v1` } : {}),
    })),
  );
  return {
    providers: [...sound.providers, ...others],
    models: [
      ...sound.models,
      ...FAULTS.flatMap(([fault]) =>
        sound.models.map((model) => ({
          ...model,
          id: model.id.replace(/^sim/, fault),
          upstreams: model.upstreams.map((upstream) => ({
            ...upstream,
            provider: upstream.provider.replace(/^sim/, fault),
          })),
        })),
      ),
    ],
  };
}

const FAULTS = [
  ['dead', {}],
  ['slow', { timeouts_ms: { first_byte: 200, idle: 200, total: 200 } }],
  ['locked', { credential_env: 'NOT_SET_ANYWHERE' }],
] as const;
