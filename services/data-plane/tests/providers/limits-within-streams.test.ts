import type { CatalogDocumentInput } from '@model-gateway/shared';
import { envelopeOf, simulatedAwsMessage, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { ProviderCredentials } from '../../src/upstream/provider-credentials.ts';

import { startScriptedProvider } from './scripted-provider.ts';

/** Providers that say within a stream, under status 200, that they get too many requests. */
const VALUES: Record<string, string> = {
  FIRST_KEY: 'first-credential-0123',
  SECOND_KEY: 'second-credential-0123',
};
const SSE = 'text/event-stream';
const BROKEN_OFF = '(broken off)';
const AWS = 'application/vnd.amazon.eventstream';

/** `rest`: what follows once the caller has read the words before it. */
interface Said {
  said: readonly (string | Buffer)[];
  rest?: readonly (string | Buffer)[];
}

interface Kind {
  title: string;
  provider: Omit<CatalogDocumentInput['providers'][number], 'id' | 'name' | 'base_url'>;
  /** Below the origin. */
  path: string;
  model: string;
  contentType: string;
  /** The caller's API, where it is not Chat Completions. */
  isResponses?: true;
  limit: string | Buffer;
  /** Events before the limit, where the output has begun. */
  begun: (string | Buffer)[];
  answer: (string | Buffer)[];
}

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish_reason: string | null) =>
  event({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
const CHAT = [chunk({ content: 'hello' }, null), chunk({}, 'stop'), 'data: [DONE]\n\n'];
const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [] };
const MESSAGES = [
  { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
  { type: 'message_stop' },
];
const invoked = (one: object) => {
  const bytes = Buffer.from(JSON.stringify(one)).toString('base64');
  return simulatedAwsMessage('chunk', JSON.stringify({ bytes }));
};
const CONVERSE: [string, object][] = [
  ['messageStart', { role: 'assistant' }],
  ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'hello' } }],
  ['contentBlockStop', { contentBlockIndex: 0 }],
  ['messageStop', { stopReason: 'end_turn' }],
  ['metadata', { usage: { inputTokens: 9, outputTokens: 3, totalTokens: 12 } }],
];
const conversed = CONVERSE.map(([type, one]) => simulatedAwsMessage(type, JSON.stringify(one)));
const throttled = simulatedAwsMessage('throttlingException', '{"message":"Too many requests"}', 'exception');
const gemini = (text: string, more: object = {}) =>
  event({ candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }] });
const GEMINI_LIMIT = {
  error: {
    code: 429,
    message: 'Resource has been exhausted.',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '6.5s' }],
  },
};
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [], usage: null };
const text = {
  type: 'response.output_text.delta',
  item_id: 'm',
  output_index: 0,
  content_index: 0,
  delta: 'hello',
};
const responses = (...events: object[]) =>
  events.map((one, sequence_number) => event({ ...one, sequence_number }));
const created = { type: 'response.created', response: { ...RESPONSE, status: 'in_progress' } };
const failed = { code: 'rate_limit_exceeded', message: 'Rate limit reached.' };
const compatible = { kind: 'openai-compatible' as const };

const KINDS: Kind[] = [
  {
    ...{ title: 'OpenAI', provider: compatible, path: '/v1', model: 'gpt', contentType: SSE },
    limit: event({ error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' } }),
    begun: CHAT.slice(0, 1),
    answer: CHAT,
  },
  {
    ...{ title: 'a router', provider: compatible, path: '/v1', model: 'gpt', contentType: SSE },
    limit: event({ id: 'c', choices: [], error: { message: 'Rate limited upstream', code: 429 } }),
    begun: CHAT.slice(0, 1),
    answer: CHAT,
  },
  {
    ...{
      title: 'Responses',
      provider: { ...compatible, apis: ['chat', 'responses'] },
      path: '/v1',
      model: 'gpt',
    },
    ...{ contentType: SSE, isResponses: true },
    limit: responses({
      type: 'response.failed',
      response: { ...RESPONSE, status: 'failed', error: failed },
    }).join(''),
    begun: responses(created, text),
    answer: responses(created, text, {
      type: 'response.completed',
      response: { ...RESPONSE, status: 'completed' },
    }),
  },
  {
    ...{
      title: 'Anthropic',
      provider: { kind: 'anthropic' },
      path: '/v1',
      model: 'claude',
      contentType: SSE,
    },
    limit: event({ type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }),
    begun: MESSAGES.slice(0, 3).map(event),
    answer: MESSAGES.map(event),
  },
  {
    ...{
      title: 'Gemini',
      provider: { kind: 'gemini' },
      path: '/v1beta',
      model: 'gemini-pro',
      contentType: SSE,
    },
    limit: event(GEMINI_LIMIT),
    begun: [gemini('hello')],
    answer: [gemini('hello', { finishReason: 'STOP' })],
  },
  {
    ...{
      title: 'Converse',
      provider: { kind: 'bedrock', region: 'eu-central-1' },
      path: '',
      contentType: AWS,
    },
    model: 'amazon.nova-2-sim-v1:0',
    limit: throttled,
    begun: conversed.slice(0, 2),
    answer: conversed,
  },
  {
    ...{
      title: 'InvokeModel',
      provider: { kind: 'bedrock', region: 'eu-central-1' },
      path: '',
      contentType: AWS,
    },
    model: 'anthropic.sim-claude-pro',
    limit: throttled,
    begun: MESSAGES.slice(0, 3).map(invoked),
    answer: MESSAGES.map(invoked),
  },
];
const idOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');
/** Returns what the provider writes to a request with this credential. */
let written: (variable: string) => Said;
const clock = { ms: 0 };

const provider = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => {
  const origin = new URL(provider.baseUrl).origin;
  return {
    environment: VALUES,
    overrides: {
      credentials: new ProviderCredentials(
        (variable) => VALUES[variable],
        () => clock.ms,
      ),
    },
    document: () => ({
      providers: KINDS.map(({ path, provider: own, title }) => {
        return {
          ...own,
          id: idOf(title),
          name: title,
          base_url: origin + path,
          credential_env: Object.keys(VALUES),
        };
      }),
      models: KINDS.map(({ model, title }) => ({
        ...{ id: `own/${idOf(title)}`, name: title, capability: 'chat', tier: 'free', affinity: 'none' },
        upstreams: [{ provider: idOf(title), model }],
      })),
    }),
  };
});
beforeEach(() => {
  provider.received.length = 0;
  // Ends the rest of every credential.
  clock.ms += 600_000;
});

const variableOf = (headers: object) =>
  Object.keys(VALUES).find((name) => JSON.stringify(headers).includes(VALUES[name] ?? '-')) ?? 'none';
const asked = () => provider.received.map(({ headers }) => variableOf(headers));

async function ask({ contentType, isResponses, title }: Kind) {
  const seen = Promise.withResolvers<void>();
  provider.respond = async (res, { headers }) => {
    res.writeHead(200, { 'content-type': contentType });
    const { rest = [], said } = written(variableOf(headers));
    for (const piece of said) res.write(piece);
    // Only what has reached the caller has begun.
    if (rest.length > 0) await seen.promise;
    for (const piece of rest) res.write(piece);
    res.end();
  };
  const own = isResponses ? { input: 'hi', store: false } : { messages: [{ role: 'user', content: 'hi' }] };
  const response = await gateway.post(isResponses ? 'responses' : 'chat/completions', {
    ...{ model: `own/${idOf(title)}`, stream: true },
    ...own,
  });
  let body = '';
  try {
    for await (const piece of response.body ?? []) {
      body += Buffer.from(piece).toString();
      if (body.includes('hello')) seen.resolve();
    }
  } catch {
    body += BROKEN_OFF;
  }
  return { status: response.status, headers: response.headers, body };
}

describe.each(KINDS)('a rate limit in the first event of a stream of $title', (kind) => {
  it('a limit in a stream counts like a 429: the next credential is asked, and the first one rests', async () => {
    written = (variable) => (variable === 'FIRST_KEY' ? { said: [kind.limit] } : { said: kind.answer });
    const answers = [await ask(kind), await ask(kind), await ask(kind)];
    for (const { body, status } of answers) {
      expect(status, body).toBe(200);
      expect(body).toContain('hello');
      expect(body).not.toContain(BROKEN_OFF);
    }
    expect(asked().toSorted()).toEqual(['FIRST_KEY', 'SECOND_KEY', 'SECOND_KEY', 'SECOND_KEY']);
    const rows = await Promise.all(answers.map((answer) => gateway.recordOf(answer)));
    expect(JSON.stringify(rows.map(({ attempts }) => attempts))).toContain('upstream_rate_limited');
  });

  it('a limit in a stream becomes a 429 when all credentials are limited', async () => {
    written = () => ({ said: [kind.limit] });
    const answer = await ask(kind);
    expect(answer.status, answer.body).toBe(429);
    expect(envelopeOf(answer).code).toBe('upstream_rate_limited');
    expect(Number(answer.headers.get('retry-after'))).toBe(kind.title === 'Gemini' ? 7 : 1);
    expect(asked().toSorted()).toEqual(['FIRST_KEY', 'SECOND_KEY']);
  });

  it('a limit in a stream breaks off a response that has begun, and says why', async () => {
    written = () => ({ said: kind.begun, rest: [kind.limit] });
    const answer = await ask(kind);
    expect(answer.body).toContain('hello');
    expect(answer.body).toContain(kind.isResponses ? 'rate_limit_exceeded' : 'upstream_rate_limited');
    expect(answer.body).toContain(BROKEN_OFF);
    expect(asked()).toHaveLength(1);
  });
});
