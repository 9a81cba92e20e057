import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { envelopeOf, startGateway, until, watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { bodyBudgetBounds, createBodyBudget } from '../../src/memory/body-budget.ts';
import { wavOf } from '../endpoints/wav.ts';
import { payingKey } from '../money/money-fixture.ts';
import { spawnDataPlane } from '../process/data-plane-process.ts';
import { BOUNDARY, encodeForm as encode, FORM_TYPE, type Part, textFields } from './raw-form.ts';
import { watchMemory } from './resident-memory.ts';

const gateway = withGateway();

async function upload(
  body: Buffer | ReadableStream,
  { contentType = FORM_TYPE, to = { baseUrl: gateway.baseUrl }, key = gateway.rawKey } = {},
) {
  const response = await fetch(`${to.baseUrl}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': contentType },
    body,
    duplex: 'half',
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const MODEL: Part = ['model', 'sim/transcribe-free'];
const FILE: Part = ['file', wavOf(1), 'speech.wav'];
const MARK = 'with an empty file';

describe('a form upload', () => {
  it('a form may have its model after the file, and later fields reach the provider', async () => {
    for (const parts of [
      [MODEL, FILE, ['language', 'en']],
      [FILE, MODEL, ['language', 'en']],
      [['language', 'en'], FILE, MODEL],
    ] satisfies Part[][]) {
      gateway.provider.clear();
      expect((await upload(encode(parts))).status).toBe(200);
      const [request] = gateway.provider.requests;
      expect(request?.body).toMatchObject({ model: 'sim-transcribe-free', language: 'en' });
      expect(request?.bodyText).toContain(wavOf(1).toString('latin1'));
    }
  });

  it.each<[string, Part[], string | null]>([
    ['no model', [FILE], 'model'],
    ['no file', [MODEL], 'file'],
    ['a model that is a file', [['model', 'sim/transcribe-free', 'model.txt'], FILE], 'model'],
    ['two files', [MODEL, FILE, FILE], 'file'],
    ['a file that is a text', [MODEL, ['file', 'not a file']], 'file'],
    ['one field twice', [MODEL, ['stream', 'true'], ['stream', 'false'], FILE], 'stream'],
    [
      'a wrong granularity before a right one',
      [MODEL, ['timestamp_granularities[]', 'zz'], ['timestamp_granularities[]', 'word'], FILE],
      'timestamp_granularities[]',
    ],
    ['two models', [MODEL, FILE, ['model', 'sim/transcribe-pro']], 'model'],
    ['two models before the file', [MODEL, MODEL, FILE], 'model'],
    ['an unknown format', [MODEL, FILE, ['response_format', 'docx']], 'response_format'],
    ['a temperature that is no number', [MODEL, ['temperature', 'warm'], FILE], 'temperature'],
    ['10,000 parts', Array.from({ length: 10_000 }, (_, index): Part => [`field${index}`, 'x']), null],
    ['an absurd field name', [MODEL, ['x'.repeat(5_000), 'y'], FILE], 'x'.repeat(100)],
    ['fields of 2 MB together', [MODEL, FILE, ...textFields(4, 500_000)], 't2'],
    ['a field of 2 MB', [MODEL, ['prompt', 'x'.repeat(2_000_000)], FILE], 'prompt'],
  ])('a form with %s gets 400', async (_name, parts, param) => {
    const answer = await upload(encode(parts));
    expect(answer.status).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ type: 'invalid_request_error', param });
  });

  it.each<[string, Part[]]>([
    ['after its model', [MODEL, ['file', '', 'speech.wav']]],
    ['before its model', [['file', '', 'speech.wav'], MODEL]],
    ['with more after it', [MODEL, ['file', '', 'speech.wav'], ['language', 'en']]],
  ])('a form with an empty file %s is refused before any provider sees it', async (_name, parts) => {
    const body = encode([['prompt', MARK], ...parts]);
    for (const sent of [body, ReadableStream.from(byteByByte(body))]) {
      const answer = await upload(sent);
      expect(answer.status).toBe(400);
      expect(envelopeOf(answer)).toMatchObject({
        code: 'invalid_request',
        param: 'file',
        message: 'file: is empty; send a file with content.',
      });
    }
    // Requests of earlier uploads may still arrive at the provider.
    expect(gateway.provider.requests.some(({ bodyText }) => bodyText.includes(MARK))).toBe(false);
  });

  it('a form may have lists, each entry a field of its own', async () => {
    const lists: Part[] = ['known_speaker_names[]', 'include[]', 'timestamp_granularities[]'].flatMap(
      (name) => ['word', 'segment'].map((value): Part => [name, value]),
    );
    expect((await upload(encode([MODEL, ...lists, FILE]))).status).toBe(200);
    const [request] = gateway.provider.requests;
    for (const [name, value] of lists) {
      expect(request?.bodyText).toContain(`name="${name}"\r\n\r\n${value}\r\n`);
    }
  });

  it('a form that arrives byte by byte is taken', async () => {
    const body = encode([MODEL, ['file', 'x', 'speech.wav']]);
    expect((await upload(ReadableStream.from(byteByByte(body)))).status).toBe(200);
    expect(gateway.provider.requests[0]?.bodyText).toContain('\r\n\r\nx\r\n');
  });

  it('JSON with an empty file is refused', async () => {
    const file = { data: '', filename: 'speech.wav' };
    const body = Buffer.from(JSON.stringify({ model: 'sim/transcribe-free', file }));
    const answer = await upload(body, { contentType: 'application/json' });
    expect(answer.status).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ code: 'invalid_request', param: 'file.data' });
    expect(gateway.provider.requests).toEqual([]);
  });

  it.each([
    ['no boundary', 'multipart/form-data', 400],
    ['another boundary', 'multipart/form-data; boundary=other', 400],
    ['another type', 'application/x-www-form-urlencoded', 415],
    ['no type', 'text/plain', 415],
  ])('a form with %s is refused', async (_name, contentType, status) => {
    const answer = await upload(encode([MODEL, FILE]), { contentType });
    expect(answer.status).toBe(status);
    expect(envelopeOf(answer).type).toBe('invalid_request_error');
    expect(gateway.provider.requests).toEqual([]);
  });

  it('a form without its end is refused, and the provider gets no complete request', async () => {
    const answer = await upload(encode([MODEL, FILE], ''));
    expect(answer.status).toBe(400);
    for (const request of gateway.provider.requests) {
      expect((await request.closed).reason).toBe('client_closed');
    }
  });

  it("a form that breaks off in its file is the client's fault, not the provider's", async () => {
    for (let count = 0; count < 30; count++) {
      const whole = encode([MODEL, ['file', wavOf(20), 'speech.wav']]);
      const answer = await upload(whole.subarray(0, whole.length - 3_000));
      expect(answer.status).toBe(400);
    }
    expect((await upload(encode([MODEL, FILE]))).status).toBe(200);
  });

  it('a form whose file has no name is taken', async () => {
    const part = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"\r\nContent-Type: application/octet-stream\r\n\r\n`;
    const body = Buffer.concat([
      encode([MODEL], ''),
      Buffer.from(part),
      wavOf(1),
      Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
    ]);
    expect((await upload(body)).status).toBe(200);
  });

  it('a form with more text than the memory budget gets 503', async () => {
    const bodyBudget = tinyBudget(512 * 1024);
    await using small = await startGateway({ overrides: { bodyBudget } });
    const { rawKey: key } = await small.createKey();
    const body = encode([MODEL, ...textFields(20, 50_000), FILE]);
    expect((await upload(body, { to: small, key })).status).toBe(503);
    await until(() => bodyBudget.usedBytes === 0);
  });

  it('a form over the maximum gets 413, announced or not', async () => {
    const big = encode([MODEL, ['file', Buffer.alloc(26 * 1024 * 1024), 'big.wav']]);
    const announced = await upload(big);
    expect(announced.status).toBe(413);
    const chunks = Array.from({ length: 27 }, (_, index) =>
      big.subarray(index * 1024 * 1024, (index + 1) * 1024 * 1024),
    );
    const streamed = await upload(ReadableStream.from(chunks));
    expect(streamed.status).toBe(413);
    expect(envelopeOf(streamed).code).toBe('request_too_large');
    for (const request of gateway.provider.requests) {
      expect((await request.closed).reason).toBe('client_closed');
    }
  });

  it('the provider sees its request closed when the client of a form leaves', async () => {
    const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
    const body = encode([MODEL, ['file', Buffer.alloc(1024 * 1024), 'big.wav']]);
    socket.write(
      `POST /v1/audio/transcriptions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${gateway.rawKey}\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${body.length + 1_000_000}\r\n\r\n`,
    );
    socket.write(body.subarray(0, 500_000));
    const request = await gateway.provider.waitForRequest(() => true);
    using lag = watchLag();
    const leftAtMs = performance.now();
    socket.destroy();
    const { atMs, reason } = await request.closed;
    expect(reason).toBe('client_closed');
    expect(atMs - leftAtMs).toBeLessThan(200 + lag.allowanceMs());
  });

  it('a form with its file first is buffered within the memory budget, and gets 503 beyond it', async () => {
    const bodyBudget = tinyBudget(512 * 1024);
    await using small = await startGateway({ overrides: { bodyBudget } });
    const { rawKey: key } = await small.createKey();
    const file: Part = ['file', wavOf(60), 'speech.wav'];
    const refused = await upload(encode([file, MODEL]), { to: small, key });
    expect(refused.status).toBe(503);
    expect(envelopeOf(refused).code).toBe('overloaded');
    expect((await upload(encode([MODEL, file]), { to: small, key })).status).toBe(200);
    await until(() => bodyBudget.usedBytes === 0);
  });
});

describe('a recording whose duration the provider does not report', () => {
  const TEXT: Part = ['response_format', 'text'];
  const file: Part = ['file', wavOf(60), 'speech.wav'];

  it('that finds no memory is refused for a paid model, and for a free one passes unmeasured', async () => {
    const bodyBudget = tinyBudget(512 * 1024);
    await using small = await startGateway({ ownPools: true, overrides: { bodyBudget } });
    const { rawKey: key } = await payingKey(small, '1');
    const paid: Part = ['model', 'sim/transcribe-pro'];
    const refused = await upload(encode([paid, TEXT, file]), { to: small, key });
    expect(refused.status).toBe(503);
    expect(envelopeOf(refused).code).toBe('overloaded');
    expect((await upload(encode([MODEL, TEXT, file]), { to: small, key })).status).toBe(200);
    expect((await upload(encode([paid, TEXT, FILE]), { to: small, key })).status).toBe(200);
    expect(small.provider.requests).toHaveLength(2);
    await until(() => bodyBudget.usedBytes === 0);
  });
});

describe('large audio', () => {
  const MEGABYTE = 1024 * 1024;
  const LANES = 4;

  it('uploads of 192 MiB take a fraction of that memory', async () => {
    const plane = await spawnDataPlane(gateway);
    let rise: (() => number) | undefined;
    try {
      const body = encode([MODEL, ['file', Buffer.alloc(24 * MEGABYTE), 'long.wav']]);
      const to = { baseUrl: plane.baseUrl };
      await until(async () => (await upload(encode([MODEL, FILE]), { to })).status === 200);
      const lane = async (times: number) => {
        const refusals: string[] = [];
        for (let sent = 0; sent < times; sent++) {
          let answer = await upload(paced(body), { to });
          // The control plane is in this process, which is busy sending.
          while (answer.status === 503) answer = await upload(paced(body), { to });
          if (answer.status !== 200) refusals.push(answer.body);
        }
        return refusals;
      };
      const uploads = async (each: number) =>
        (await Promise.all(Array.from({ length: LANES }, () => lane(each)))).flat();
      // Garbage that is not collected yet stays, and does not grow with the number of uploads.
      expect(await uploads(1)).toEqual([]);
      const memory = watchMemory(plane.child.pid ?? 0);
      rise = () => memory.stop();
      expect(await uploads(2)).toEqual([]);
      expect(rise()).toBeLessThan(96 * MEGABYTE);
    } finally {
      rise?.();
      plane.child.kill('SIGTERM');
      await plane.exit;
    }
  });
});

function tinyBudget(bytes: number) {
  const shares = { totalBytes: bytes, keyBytes: bytes, accountBytes: bytes, reserveBytes: 0 };
  return createBodyBudget({ ...bodyBudgetBounds(512 * 1024 * 1024, 1), ...shares });
}

async function* byteByByte(body: Buffer): AsyncGenerator<Buffer> {
  for (let index = 0; index < body.length; index++) {
    if (index % 16 === 0) await wait(1);
    yield body.subarray(index, index + 1);
  }
}

/** Returns a body that comes in pieces over about a second. */
function paced(body: Buffer): ReadableStream {
  const PIECE = 256 * 1024;
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      if (sent >= body.length) return controller.close();
      await wait(5);
      controller.enqueue(body.subarray(sent, sent + PIECE));
      sent += PIECE;
    },
  });
}
