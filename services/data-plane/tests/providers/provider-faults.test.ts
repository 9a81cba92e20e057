import { connect } from 'node:net';
import type { SharedGateway } from '@model-gateway/test-kit';
import {
  chatBody,
  envelopeOf,
  PROVIDER_CREDENTIAL,
  simulatedCatalog,
  startGatewayWithKey,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { withoutBreakers } from './without-breakers.ts';

const gateway = withGateway({
  document: (baseUrl) => {
    const document = simulatedCatalog(baseUrl);
    const timeouts_ms = { connect: 2_000, first_byte: 2_000, idle: 1_000, total: 2_000 };
    return { ...document, providers: document.providers.map((provider) => ({ ...provider, timeouts_ms })) };
  },
  overrides: {
    streamTimings: { clientStallMs: 500 },
    ...withoutBreakers(),
  },
});

async function send(simulate: Record<string, unknown>, stream = false) {
  const { isBroken, ...answer } = await gateway.chat({ stream, simulate });
  return { ...answer, complete: !isBroken };
}

describe.each([false, true])('a fault before the first byte (stream: %s)', (stream) => {
  it.each([400, 413, 422])(
    "a caller learns why the provider answered %s, without the gateway's secrets",
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

  it("the provider's 429 passes with its Retry-After, or with 1", async () => {
    const answer = await send({ status: 429, retry_after: '17' }, stream);
    expect(answer.status).toBe(429);
    expect(envelopeOf(answer)).toMatchObject({ type: 'upstream_error', code: 'upstream_rate_limited' });
    expect(answer.headers.get('retry-after')).toBe('17');
    expect((await send({ status: 429 }, stream)).headers.get('retry-after')).toBe('1');
  });
});

it('a provider where nobody listens is 502', async () => {
  await gateway.applyCatalog(simulatedCatalog('http://127.0.0.1:9/v1'));
  let answer = await send({});
  for (let tries = 0; answer.status !== 502 && tries < 100; tries++) answer = await send({});
  expect(envelopeOf(answer)).toMatchObject({ type: 'upstream_error', code: 'upstream_error' });
  const document = simulatedCatalog(gateway.provider.baseUrl);
  const timeouts_ms = { connect: 2_000, first_byte: 2_000, idle: 1_000, total: 2_000 };
  await gateway.applyCatalog({
    ...document,
    providers: document.providers.map((provider) => ({ ...provider, timeouts_ms })),
  });
  for (let tries = 0; answer.status !== 200 && tries < 100; tries++) answer = await send({});
  expect(answer.status).toBe(200);
});

it('an endless line is given up at a bound, and the provider is cut', async () => {
  const answer = await send({ sse: 'huge_line' }, true);
  expect(answer.body).toContain('upstream_error');
  expect(answer.body.length).toBeLessThan(100_000);
  const [request] = gateway.provider.requests;
  expect((await request?.closed)?.reason).toBe('client_closed');
});

it('keep-alive comments bridge a silence from the moment the request came', async () => {
  await using patient = await startGatewayWithKey({ overrides: { streamTimings: { keepAliveMs: 100 } } });
  for (const fault of [{ delay_ms: 350 }, { hang: { after_events: 2 } }]) {
    const response = await patient.post('chat/completions', chatBody({ stream: true, simulate: fault }));
    expect(response.status).toBe(200);
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes(': keep-alive\n\n')) break;
    }
    expect(text).toContain(': keep-alive\n\n');
  }
});

it('usage on the last chunk is billed, and hidden from a client that did not ask for it', async () => {
  const answer = await send({ usage: 'on_last_chunk' }, true);
  expect(answer.body).not.toContain('"usage"');
  expect(accessLine(answer.headers.get('x-request-id'))).toMatchObject({ usage_source: 'provider' });
});

it('a client that stops reading a stream is cut, with bounded memory', async () => {
  const body = JSON.stringify(
    chatBody({ stream: true, simulate: { content: 'lorem ipsum '.repeat(300_000), token_delay_ms: 0 } }),
  );
  const socket = sendUnread(gateway, body);
  const request = await gateway.provider.waitForRequest();
  expect((await request.closed).reason).toBe('client_closed');
  socket.destroy();
});

it('a client that reads nothing of a whole response is cut', async () => {
  await using quick = await startGatewayWithKey({ overrides: { streamTimings: { clientStallMs: 300 } } });
  const body = JSON.stringify(chatBody({ simulate: { content: 'lorem ipsum '.repeat(1_000_000) } }));
  const socket = sendUnread(quick, body);
  await until(() => quick.logText().includes('"route":"/v1/chat/completions"'));
  socket.destroy();
});

it('a credential that is an ordinary word is not removed from responses', async () => {
  await using local = await startGatewayWithKey({
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
  const { body } = await local.chat({ simulate: { content: 'I like ollama.' } });
  expect(body).toContain('I like ollama.');
});

const accessLine = (requestId: string | null) => gateway.logLines(`"request_id":"${requestId}"`).at(0);

/** Sends a chat on a connection from which nothing is read. */
function sendUnread({ baseUrl, rawKey }: Pick<SharedGateway, 'baseUrl' | 'rawKey'>, body: string) {
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}
