import {
  envelopeOf,
  PROVIDER_CREDENTIAL,
  simulatedCatalog,
  startGateway,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';

let gateway: TestGateway;
let rawKey: string;

beforeAll(async () => {
  gateway = await startGateway({
    document: (baseUrl) => {
      const document = simulatedCatalog(baseUrl);
      const timeouts_ms = { connect: 500, first_byte: 600, idle: 300, total: 600 };
      return { ...document, providers: document.providers.map((provider) => ({ ...provider, timeouts_ms })) };
    },
    overrides: {
      streamTimings: { clientStallMs: 500 },
      // This provider fails on purpose, time and again.
      breakers: new ProviderBreakers(Number.POSITIVE_INFINITY),
    },
  });
  ({ rawKey } = await gateway.createKey());
});
afterAll(() => gateway.close());
beforeEach(() => gateway.provider.clear());

async function send(simulate: Record<string, unknown>, stream = false) {
  const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/chat-free',
      messages: [{ role: 'user', content: 'hello' }],
      stream,
      simulate,
    }),
  });
  let body = '';
  let complete = true;
  try {
    for await (const chunk of response.body ?? []) body += Buffer.from(chunk).toString();
  } catch {
    complete = false;
  }
  return { status: response.status, headers: response.headers, body, complete };
}

describe.each([false, true])('before the first byte (stream: %s)', (stream) => {
  it.each<[string, Record<string, unknown>, number, string, string]>([
    [
      '500',
      { status: 500, message: 'internal trace of the provider' },
      502,
      'upstream_error',
      'upstream_error',
    ],
    ['503', { status: 503 }, 502, 'upstream_error', 'upstream_error'],
    ['401', { status: 401, message: 'Incorrect API key provided' }, 502, 'upstream_error', 'upstream_error'],
    ['403', { status: 403 }, 502, 'upstream_error', 'upstream_error'],
    ['404', { status: 404 }, 502, 'upstream_error', 'upstream_error'],
    ['302', { status: 302 }, 502, 'upstream_error', 'upstream_error'],
    ['a reset', { reset: 'before_headers' }, 502, 'upstream_error', 'upstream_error'],
    ['a reset after its headers', { reset: 'after_headers' }, 502, 'upstream_error', 'upstream_error'],
    ['HTML with 200', { rubbish: 'html' }, 502, 'upstream_error', 'upstream_error'],
    ['text with 200', { rubbish: 'text' }, 502, 'upstream_error', 'upstream_error'],
    ['broken JSON', { rubbish: 'bad_json' }, 502, 'upstream_error', 'upstream_error'],
    ['JSON that is no completion', { rubbish: 'wrong_shape' }, 502, 'upstream_error', 'upstream_error'],
    ['an empty answer', { rubbish: 'empty' }, 502, 'upstream_error', 'upstream_error'],
    ['contradictory framing', { framing: 'cl_and_te' }, 502, 'upstream_error', 'upstream_error'],
    ['silence', { hang: 'before_headers' }, 504, 'upstream_error', 'upstream_timeout'],
    ['silence after its headers', { hang: 'after_headers' }, 504, 'upstream_error', 'upstream_timeout'],
  ])(
    'the provider answers %s: the caller gets an error of ours',
    async (_name, fault, status, type, code) => {
      const answer = await send({ ...fault, ...(stream ? {} : { set_cookie: true }) }, stream);
      expect(answer.body).not.toMatch(/trace|Incorrect|<html/i);
      expect({ status: answer.status, ...envelopeOf(answer) }).toMatchObject({ status, type, code });
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('x-gateway-model')).toBe('sim/chat-free');
    },
  );

  it.each([400, 413, 422])(
    'the provider says %s about the request: the caller learns why, without our secrets',
    async (status) => {
      const message = `bad field ${'x'.repeat(600)}`;
      const answer = await send({ status, message }, stream);
      expect(answer.status).toBe(status);
      expect(envelopeOf(answer)).toMatchObject({
        type: 'invalid_request_error',
        code: 'upstream_rejected',
        message: message.slice(0, 500),
      });
      const echoed = await send({ status, echo_credential: true }, stream);
      expect(echoed.body).not.toContain(PROVIDER_CREDENTIAL);
      expect(envelopeOf(echoed).message).toContain('[redacted]');
    },
  );

  it('the provider says 429: its Retry-After is passed on, 1 when it sends none', async () => {
    const told = await send({ status: 429, retry_after: '17' }, stream);
    expect(told.status).toBe(429);
    expect(envelopeOf(told)).toMatchObject({ type: 'upstream_error', code: 'upstream_rate_limited' });
    expect(told.headers.get('retry-after')).toBe('17');
    expect((await send({ status: 429 }, stream)).headers.get('retry-after')).toBe('1');
  });
});

it('nobody listens at the provider: 502', async () => {
  await gateway.applyCatalog(simulatedCatalog('http://127.0.0.1:9/v1'));
  let answer = await send({});
  for (let tries = 0; answer.status !== 502 && tries < 100; tries++) answer = await send({});
  expect(envelopeOf(answer)).toMatchObject({ type: 'upstream_error', code: 'upstream_error' });
  const document = simulatedCatalog(gateway.provider.baseUrl);
  const timeouts_ms = { connect: 500, first_byte: 600, idle: 300, total: 600 };
  await gateway.applyCatalog({
    ...document,
    providers: document.providers.map((provider) => ({ ...provider, timeouts_ms })),
  });
  for (let tries = 0; answer.status !== 200 && tries < 100; tries++) answer = await send({});
  expect(answer.status).toBe(200);
});

it('an answer that breaks off is 502, never half a success', async () => {
  const answer = await send({ truncate: { after_events: 1 } });
  expect(answer.status).toBe(502);
  expect(envelopeOf(answer).code).toBe('upstream_error');
});

describe('in the middle of a stream', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['ends without [DONE]', { truncate: { after_events: 3 } }, 'upstream_error'],
    ['resets', { reset: { after_events: 3 } }, 'upstream_error'],
    ['sends rubbish', { rubbish: 'bad_chunk' }, 'upstream_error'],
    ['sends an error event', { sse: 'error_event' }, 'upstream_error'],
    ['hangs', { hang: { after_events: 3 } }, 'upstream_timeout'],
  ])(
    'the provider %s: one error event, no [DONE], and the connection breaks off',
    async (_name, fault, code) => {
      const answer = await send(fault, true);
      expect(answer.status).toBe(200);
      const events = answer.body.split('\n\n').filter((event) => event.startsWith('data: '));
      const last: { error: { code: string; request_id: string } } = JSON.parse(
        (events.at(-1) ?? '').slice(6),
      );
      expect(last.error).toMatchObject({ code, type: 'upstream_error' });
      expect(last.error.request_id).toBe(answer.headers.get('x-request-id'));
      expect(events.filter((event) => event.includes('"error"'))).toHaveLength(1);
      expect(answer.body).not.toContain('[DONE]');
      if (typeof fault.rubbish !== 'string') expect(answer.body).not.toContain('"finish_reason":"stop"');
      expect(answer.complete).toBe(false);
    },
  );

  it('an endless line is given up at a bound, and the provider is cut', async () => {
    const answer = await send({ sse: 'huge_line' }, true);
    expect(answer.body).toContain('upstream_error');
    expect(answer.body.length).toBeLessThan(100_000);
    const [request] = gateway.provider.requests;
    expect((await request?.closed)?.reason).toBe('client_closed');
  });

  it('a last event without its blank line is not taken for complete', async () => {
    const answer = await send({ sse: 'no_blank_line' }, true);
    expect(answer.body).toContain('upstream_error');
    expect(answer.body).not.toContain('[DONE]');
  });

  it('[DONE] twice, CRLF and comments are read as they are meant', async () => {
    for (const sse of ['done_twice', 'crlf', 'comments']) {
      const answer = await send({ sse }, true);
      expect(answer.complete).toBe(true);
      expect(answer.body.match(/\[DONE\]/g)).toHaveLength(1);
      expect(answer.body).toContain('"finish_reason":"stop"');
    }
  });
});

it('silence is bridged by comments, from the moment the request came in', async () => {
  await using patient = await startGateway({ overrides: { streamTimings: { keepAliveMs: 100 } } });
  const key = await patient.createKey();
  for (const fault of [{ delay_ms: 350 }, { hang: { after_events: 2 } }]) {
    const response = await fetch(`${patient.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'sim/chat-free',
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
        simulate: fault,
      }),
    });
    expect(response.status).toBe(200);
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes(': keep-alive\n\n')) break;
    }
    expect(text).toContain(': keep-alive\n\n');
  }
});

describe('what a provider must not reach', () => {
  it('the caller through headers', async () => {
    for (const stream of [false, true]) {
      const answer = await send({ set_cookie: true }, stream);
      expect(answer.status).toBe(200);
      for (const name of ['set-cookie', 'server', 'access-control-allow-origin', 'openai-organization']) {
        expect(answer.headers.get(name)).toBeNull();
      }
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  it('the caller with our own credential', async () => {
    for (const stream of [false, true]) {
      const answer = await send({ echo_credential: true }, stream);
      expect(answer.status).toBe(200);
      expect(answer.body).not.toContain(PROVIDER_CREDENTIAL);
    }
  });

  it.each(['missing', 'absurd', 'worded'])(
    'the books with %s usage: the gateway counts itself and says so',
    async (usage) => {
      for (const stream of [false, true]) {
        const answer = await send({ usage }, stream);
        expect(answer.status).toBe(200);
        const line = accessLine(answer.headers.get('x-request-id'));
        expect(line).toMatchObject({ usage_source: 'estimated', outcome: 'completed' });
        expect(line.output_tokens).toBeGreaterThan(0);
        expect(line.output_tokens).toBeLessThan(10_000);
      }
    },
  );

  it('the client with the usage on the last chunk that it did not ask for', async () => {
    const answer = await send({ usage: 'on_last_chunk' }, true);
    expect(answer.body).not.toContain('"usage"');
    expect(accessLine(answer.headers.get('x-request-id'))).toMatchObject({ usage_source: 'provider' });
  });
});

it('a client that stops reading is cut, with bounded memory', async () => {
  const { connect } = await import('node:net');
  const body = JSON.stringify({
    model: 'sim/chat-free',
    messages: [{ role: 'user', content: 'hello' }],
    stream: true,
    simulate: { content: 'lorem ipsum '.repeat(300_000), token_delay_ms: 0 },
  });
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  socket.pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  const request = await gateway.provider.waitForRequest();
  const { reason } = await request.closed;
  expect(reason).toBe('client_closed');
  socket.destroy();
});

it('a client that reads nothing of a whole answer is cut, too', async () => {
  const { connect } = await import('node:net');
  await using impatient = await startGateway({ overrides: { streamTimings: { clientStallMs: 300 } } });
  const key = await impatient.createKey();
  const body = JSON.stringify({
    model: 'sim/chat-free',
    messages: [{ role: 'user', content: 'hello' }],
    simulate: { content: 'lorem ipsum '.repeat(1_000_000) },
  });
  const socket = connect(Number(new URL(impatient.baseUrl).port), '127.0.0.1');
  socket.pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key.rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => impatient.logText().includes('"route":"/v1/chat/completions"'));
  socket.destroy();
});

it('a credential that is an ordinary word is not cut out of answers', async () => {
  await using local = await startGateway({
    environment: { LOCAL_API_KEY: 'ollama' },
    document: (baseUrl) => {
      const document = simulatedCatalog(baseUrl);
      return {
        ...document,
        providers: document.providers.map((entry) => ({ ...entry, credential_env: 'LOCAL_API_KEY' })),
      };
    },
    provider: { apiKey: 'ollama' },
  });
  const key = await local.createKey();
  const response = await fetch(`${local.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/chat-free',
      messages: [{ role: 'user', content: 'hi' }],
      simulate: { content: 'I like ollama.' },
    }),
  });
  expect(await response.text()).toContain('I like ollama.');
});

function accessLine(requestId: string | null): Record<string, unknown> & { output_tokens: number } {
  const line = gateway
    .logText()
    .split('\n')
    .find((text) => text.includes(`"request_id":"${requestId}"`));
  return JSON.parse(line ?? '{}');
}
