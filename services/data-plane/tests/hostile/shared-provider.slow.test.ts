import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import {
  envelopeOf,
  openBooks,
  simulatedCatalog,
  startGateway,
  startGatewayWithKey,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { wavOf } from '../endpoints/wav.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';

let hostile: string;
let honest: string;

/** Long enough for every answer that is not held back, on a busy machine, too. */
const TOTAL_MS = 2_000;

const gateway = withGateway({
  document: (baseUrl) => {
    const document = simulatedCatalog(baseUrl);
    const timeouts_ms = { total: TOTAL_MS };
    return { ...document, providers: document.providers.map((entry) => ({ ...entry, timeouts_ms })) };
  },
  overrides: { streamTimings: { clientStallMs: 300 } },
});
beforeAll(async () => {
  hostile = (await gateway.createKey()).rawKey;
  honest = (await gateway.createKey()).rawKey;
});

const chat = (key: string, more: object = {}) => gateway.chat(more, { key });

describe('failures that one caller can provoke', () => {
  it.each<[string, object, number, string]>([
    [
      '403 with a moderation message',
      { status: 403, message: 'flagged by our moderation' },
      502,
      'upstream_error',
    ],
    ['404', { status: 404 }, 502, 'upstream_error'],
    ['402', { status: 402 }, 502, 'upstream_error'],
    ['408', { status: 408 }, 502, 'upstream_error'],
    ['429', { status: 429 }, 429, 'upstream_rate_limited'],
    ['JSON of a wrong shape', { rubbish: 'wrong_shape' }, 502, 'upstream_error'],
  ])('the circuit breaker stays closed after %s', async (_name, simulate, status, code) => {
    for (let attempt = 0; attempt < 25; attempt++) {
      const answer = await chat(hostile, { simulate });
      expect(answer.status).toBe(status);
      expect(envelopeOf(answer)).toMatchObject({ type: 'upstream_error', code });
    }
    expect((await chat(honest)).status).toBe(200);
  });

  it('the circuit breaker stays closed after an error in the middle of a stream', async () => {
    for (let attempt = 0; attempt < 25; attempt++) {
      const simulate = { sse: 'error_event' };
      expect((await chat(hostile, { stream: true, simulate })).status).toBe(200);
    }
    expect((await chat(honest)).status).toBe(200);
  });

  it('count as failures of the model only with status 404 and 429', async () => {
    await using books = openBooks(gateway.databaseUrl);
    const rows = () =>
      books.query(
        'SELECT coalesce(sum(attempts), 0)::int AS n, coalesce(sum(failed_attempts), 0)::int AS failed FROM model_minutes',
      );
    await until(async () => Number((await rows())[0]?.n) >= 150);
    expect((await rows())[0]?.failed).toBe(50);
  });
});

describe('the time that a caller takes to send', () => {
  /** Sends a form whose file takes many times as long as the provider may take to answer. */
  async function dribble(extra: Record<string, string>) {
    const wav = wavOf(1);
    const field = ([name, value]: [string, string]) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const head = `${Object.entries({ model: 'sim/transcribe-free', ...extra })
      .map(field)
      .join(
        '',
      )}--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n`;
    const pieces = 10;
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        controller.enqueue(Buffer.from(head));
        const size = Math.ceil(wav.length / pieces);
        for (let piece = 0; piece < pieces; piece++) {
          controller.enqueue(wav.subarray(piece * size, (piece + 1) * size));
          await wait(TOTAL_MS / 4);
        }
        controller.enqueue(Buffer.from('\r\n--b--\r\n'));
        controller.close();
      },
    });
    const response = await fetch(`${gateway.baseUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${hostile}`, 'content-type': 'multipart/form-data; boundary=b' },
      body,
      duplex: 'half',
    });
    return { status: response.status, body: await response.text() };
  }

  it('an upload that takes longer than a response may take is served', async () => {
    const answer = await dribble({});
    expect(answer.status, answer.body).toBe(200);
  });

  it('a provider that stays silent after a slow upload times out', async () => {
    const answer = await dribble({ simulate: JSON.stringify({ hang: 'before_headers' }) });
    expect(answer.status).toBe(504);
    expect(envelopeOf(answer)).toMatchObject({ code: 'upstream_timeout' });
  });
});

it("a client that does not read counts as gone, and not as the provider's failure", async () => {
  await using provider = await startScriptedProvider((res) => {
    res.writeHead(200, { 'content-type': 'audio/mpeg' });
    const more = () => {
      while (!res.destroyed && res.write(Buffer.alloc(256 * 1024)));
    };
    res.on('drain', more).on('error', () => undefined);
    more();
  });
  await using stalled = await startGateway({
    document: () => simulatedCatalog(provider.baseUrl),
    overrides: { streamTimings: { clientStallMs: 300 } },
  });
  const { rawKey } = await stalled.createKey();
  const body = JSON.stringify({ model: 'sim/speech-free', input: 'a', voice: 'a' });
  const socket = connect(Number(new URL(stalled.baseUrl).port), '127.0.0.1');
  socket.on('error', () => undefined).pause();
  socket.write(
    `POST /v1/audio/speech HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => stalled.logText().includes('"route":"/v1/audio/speech"'));
  expect(stalled.logText()).toContain('"outcome":"client_gone"');
  socket.destroy();
});

it.each<[string, object]>([
  ['refuses our credential', { status: 401 }],
  ['fails', { status: 503 }],
  ['resets the connection', { reset: 'before_headers' }],
  ['sends HTML', { rubbish: 'html' }],
])('the circuit breaker opens when the provider %s', async (_name, simulate) => {
  await using other = await startGatewayWithKey();
  await until(async () => (await other.chat({ simulate })).status === 503);
});
