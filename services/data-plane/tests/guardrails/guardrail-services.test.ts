import { metricOf } from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  APIS,
  eventsOf,
  PATHS,
  requestOf,
  type ScriptedServer,
  sendEvents,
  sendJsonAnswer,
  wholeOf,
  withGuardedGateway,
  withServer,
} from './guarded-gateway.ts';

const provider = withServer();
const guard = withServer();
const gateway = withGuardedGateway(
  provider,
  () => [
    {
      id: 'service',
      kind: 'http',
      url: `${guard.url}/check`,
      credential_env: 'SIMULATED_API_KEY',
      params: { strict: true },
      deadline_ms: 2_000,
    },
    { id: 'lenient', kind: 'http', url: `${guard.url}/check`, on_failure: 'pass', deadline_ms: 2_000 },
    {
      id: 'everyone',
      kind: 'patterns',
      accounts: 'all',
      patterns: [{ name: 'Code word', pattern: 'SESAME' }],
    },
  ],
  () => ['service'],
);
type Verdict = (input: { texts: string[]; input_type: string; tool_calls: object[] | null }) => object;
const answerWith = (server: ScriptedServer, verdict: Verdict) =>
  server.answer((_req, res, body) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(verdict(JSON.parse(body))));
  });
const NONE: Verdict = () => ({ action: 'NONE' });
const codeOf = ({ body }: { body: string }) => JSON.parse(body).error.code;

beforeEach(() => {
  answerWith(guard, NONE);
  sendJsonAnswer(provider, wholeOf('chat', {}));
});

describe('a service with the Generic Guardrail API', () => {
  it('gets what LiteLLM sends, and its key', async () => {
    const headers: unknown[] = [];
    guard.answer((req, res) => {
      headers.push(req.headers['x-api-key'], req.url);
      res.end('{"action":"NONE"}');
    });
    const tools = [
      { type: 'function', function: { name: 'look_up', description: 'Looks up.', parameters: {} } },
    ];
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello there' }, image] }];
    const answer = await gateway.ask(PATHS.chat, requestOf('chat', { messages, tools }));
    expect(answer.status, answer.body).toBe(200);
    const [request, response] = guard.bodies.map((body) => JSON.parse(body));
    expect(request).toMatchObject({
      input_type: 'request',
      texts: ['Hello there', 'Looks up.'],
      images: ['data:image/png;base64,AAAA'],
      tools,
      tool_calls: null,
      structured_messages: messages,
      model: 'chat/checked',
      litellm_call_id: answer.headers.get('x-request-id'),
      additional_provider_specific_params: { strict: true },
      request_data: { user_api_key_org_id: expect.stringMatching(/^acct_/) },
    });
    expect(response).toMatchObject({
      input_type: 'response',
      texts: ['Fine.', 'Hm.', '{"q":"x"}'],
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"q":"x"}' } }],
    });
    expect(headers[0]).toMatch(/.+/);
    expect(headers[1]).toBe('/check');
  });

  it('blocks a request before its provider gets it, in each form of error', async () => {
    answerWith(guard, () => ({ action: 'BLOCKED', blocked_reason: 'names a customer' }));
    for (const api of APIS) {
      provider.bodies.length = 0;
      const answer = await gateway.ask(PATHS[api], requestOf(api));
      expect(answer.status, answer.body).toBe(403);
      expect(JSON.parse(answer.body).error).toMatchObject({
        code: 'content_blocked',
        type: api === 'messages' ? 'permission_error' : 'permission_denied',
        message:
          'The guardrail "service" blocked this request: names a customer. Change its content and send it again.',
      });
      expect(answer.headers.get('x-should-retry')).toBe('false');
      expect(provider.bodies).toEqual([]);
    }
  });

  it.each(APIS)('replaces texts in their places, in requests and responses of %s', async (api) => {
    sendJsonAnswer(
      provider,
      wholeOf(api, { text: 'Ask Alice.', reasoning: 'Alice?', args: '{"who":"Alice"}' }),
    );
    answerWith(guard, ({ texts }) => ({
      action: 'GUARDRAIL_INTERVENED',
      texts: texts.map((text) => text.replaceAll('Alice', 'PERSON').replaceAll('something', 'ANYTHING')),
    }));
    const answer = await gateway.ask(PATHS[api], requestOf(api));
    expect(answer.status, answer.body).toBe(200);
    expect(provider.bodies[0]).toContain('Tell me ANYTHING.');
    expect(answer.body).not.toContain('Alice');
    expect(answer.body).toContain('Ask PERSON.');
    expect(answer.body).toContain('PERSON?');
    expect(answer.body).toMatch(/\\?"who\\?":\\?"PERSON/);
  });

  it.each(APIS)('replaces a text of a stream of %s that is split over many events', async (api) => {
    const text = 'First of all. Then ask Alice about it. She knows.';
    sendEvents(provider, eventsOf(api, 'text', [...text]));
    answerWith(guard, ({ texts }) => ({
      action: 'GUARDRAIL_INTERVENED',
      texts: texts.map((each) => each.replaceAll('Alice', 'PERSON')),
    }));
    const answer = await gateway.ask(PATHS[api], requestOf(api, { stream: true }));
    expect(answer.status, answer.body).toBe(200);
    expect(answer.isBroken).toBe(false);
    const pieces = answer.body
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)))
      .map(
        ({ choices, delta }) =>
          choices?.[0]?.delta?.content ?? delta?.text ?? (typeof delta === 'string' ? delta : ''),
      );
    expect(pieces.join('')).toBe(text.replace('Alice', 'PERSON'));
    expect(answer.body).not.toMatch(/Alice|"A"/);
    // The events that repeat the whole text have the replaced one.
    if (api === 'responses') expect(answer.body.split('ask PERSON about').length).toBeGreaterThan(3);
  });

  const FAILURES: [string, (server: ScriptedServer) => void][] = [
    ['is down', (server) => server.answer((req) => void req.destroy())],
    ['is slow', (server) => server.answer(() => undefined)],
    [
      'answers 500',
      (server) => server.answer((_req, res) => void res.writeHead(500).end('{"action":"NONE"}')),
    ],
    [
      'redirects',
      (server) =>
        server.answer((_req, res) => void res.writeHead(302, { location: `${provider.url}/x` }).end()),
    ],
    ['answers no JSON', (server) => server.answer((_req, res) => void res.end('<html>'))],
    ['answers another verdict', (server) => answerWith(server, () => ({ action: 'MAYBE' }))],
    ['answers no verdict', (server) => answerWith(server, () => ({}))],
    [
      'returns too few texts',
      (server) =>
        answerWith(server, () => ({ action: 'GUARDRAIL_INTERVENED', texts: ['x', 'y', 'z', 'w', 'v'] })),
    ],
    [
      'replaces nothing but intervenes',
      (server) => answerWith(server, () => ({ action: 'GUARDRAIL_INTERVENED' })),
    ],
    [
      'replaces images',
      (server) => answerWith(server, () => ({ action: 'GUARDRAIL_INTERVENED', images: ['x'] })),
    ],
    [
      'leaves arguments that are no JSON',
      (server) =>
        answerWith(server, ({ input_type, texts }) =>
          input_type === 'request'
            ? { action: 'NONE' }
            : { action: 'GUARDRAIL_INTERVENED', texts: texts.map((text) => text.replace('}', '')) },
        ),
    ],
  ];

  it.each(FAILURES)('lets nothing pass if it %s', async (_name, fail) => {
    fail(guard);
    const asked = await gateway.ask(PATHS.chat, requestOf('chat'));
    expect(asked.status, asked.body).toBe(503);
    expect(codeOf(asked)).toBe('guardrail_unavailable');
    expect(asked.headers.get('retry-after')).toBe('1');
    expect(asked.body).not.toContain('Fine.');
  });

  it.each(APIS)('breaks a stream of %s off if it fails after the first sentence', async (api) => {
    answerWith(guard, NONE);
    sendEvents(
      provider,
      eventsOf(api, 'text', ['The first sentence. ', `The second one${' that'.repeat(20)}. `, 'The third.']),
      'second one',
      // The check of the first sentence must end before the provider does, also on a busy machine.
      500,
    );
    let calls = 0;
    guard.answer(
      (_req, res) => void (++calls <= 2 ? res.end('{"action":"NONE"}') : res.writeHead(500).end()),
    );
    const answer = await gateway.ask(PATHS[api], requestOf(api, { stream: true }));
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('first sentence');
    expect(answer.body).not.toMatch(/second|third/);
    expect(answer.isBroken).toBe(true);
    expect(answer.body).toMatch(/guardrail_unavailable|could not check/);
    expect(answer.body).not.toMatch(/\[DONE\]|message_stop|response\.completed/);
  });

  it.each(APIS)('sees a whole tool call of a stream of %s before any of it is sent', async (api) => {
    sendEvents(provider, eventsOf(api, 'arguments', ['{"q":', '"x"', '}']));
    answerWith(guard, ({ input_type }) =>
      input_type === 'request'
        ? { action: 'NONE' }
        : { action: 'BLOCKED', blocked_reason: 'the tool is not allowed' },
    );
    const answer = await gateway.ask(PATHS[api], requestOf(api, { stream: true }));
    expect(answer.status, answer.body).toBe(403);
    expect(JSON.parse(guard.bodies[1] ?? '')).toMatchObject({
      texts: ['{"q":"x"}'],
      tool_calls: [{ function: { name: 'look_up', arguments: '{"q":"x"}' } }],
    });
    expect(answer.body).not.toMatch(/look_up|not allowed/);
  });

  it('counts its checks', async () => {
    await gateway.ask(PATHS.chat, requestOf('chat'));
    const [plane] = gateway.dataPlanes;
    if (plane === undefined) throw new Error('there is no data plane');
    const count = (labels: Record<string, string>) =>
      metricOf(plane, 'gateway_guardrail_checks_total', labels);
    expect(await count({ guardrail: 'service', direction: 'request', outcome: 'passed' })).toBeGreaterThan(0);
    expect(await count({ guardrail: 'service', outcome: 'failed' })).toBeGreaterThan(0);
    expect(await count({ guardrail: 'everyone', outcome: 'passed' })).toBeGreaterThan(0);
  });
});

describe('a guardrail of an account', () => {
  it('checks models that have none, too', async () => {
    const messages = [{ role: 'user', content: 'Open SESAME' }];
    const answer = await gateway.ask(PATHS.chat, { model: 'chat/free', messages });
    expect(answer.status).toBe(403);
    expect(guard.bodies).toEqual([]);
    expect(provider.bodies).toEqual([]);
  });

  it('checks the prompts whose tokens a provider counts', async () => {
    const messages = [{ role: 'user', content: 'Open SESAME' }];
    const answer = await gateway.ask('messages/count_tokens', { model: 'messages/free', messages });
    expect(answer.status).toBe(403);
    expect(provider.bodies).toEqual([]);
  });
});
