import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { envelopeOf, startGateway, until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MinimumRate } from '../../src/http/minimum-rate.ts';
import { bodyBudgetBounds, createBodyBudget } from '../../src/memory/body-budget.ts';
import { PNG } from '../endpoints/image-edit-form.ts';
import { BOUNDARY, encodeForm, FORM_TYPE, type Part, textFields } from './raw-form.ts';

const MEBIBYTE = 1024 * 1024;
const PATH = '/v1/images/edits';
const MODEL: Part = ['model', 'sim/image-free'];
const PROMPT: Part = ['prompt', 'add a boat'];
const IMAGE: Part = ['image', PNG, 'a.png'];
const MASK: Part = ['mask', PNG, 'm.png'];

const gateway = withGateway();

async function upload(
  body: Buffer | ReadableStream,
  {
    contentType = FORM_TYPE,
    to = { baseUrl: gateway.baseUrl },
    key = gateway.rawKey,
    headers = {},
  }: { contentType?: string; to?: { baseUrl: string }; key?: string; headers?: Record<string, string> } = {},
) {
  const response = await fetch(`${to.baseUrl}${PATH}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': contentType, ...headers },
    body: Buffer.isBuffer(body) ? new Uint8Array(body) : body,
    duplex: 'half',
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const images = (count: number, name = 'image[]') =>
  Array.from({ length: count }, (_, index): Part => [name, PNG, `${index}.png`]);

describe('the form of an edit', () => {
  it('may have its fields in any order', async () => {
    for (const parts of [
      [MODEL, PROMPT, IMAGE],
      [IMAGE, MASK, PROMPT, MODEL],
      [PROMPT, IMAGE, MODEL, MASK],
    ]) {
      const answer = await upload(encodeForm(parts));
      expect(answer.status, answer.body).toBe(200);
    }
  });

  it.each<[string, Part[], string | null]>([
    ['no model', [PROMPT, IMAGE], 'model'],
    ['no prompt', [MODEL, IMAGE], 'prompt'],
    ['no image', [MODEL, PROMPT], 'image'],
    ['only a mask', [MODEL, PROMPT, MASK], 'image'],
    ['an image that is a text', [MODEL, PROMPT, ['image', 'AAAA']], 'image'],
    ['a list of texts as images', [MODEL, PROMPT, IMAGE, ['image[]', 'AAAA']], 'image[]'],
    ['a mask that is a text', [MODEL, PROMPT, IMAGE, ['mask', 'AAAA']], 'mask'],
    ['17 images', [MODEL, PROMPT, ...images(17)], 'image[]'],
    ['17 images under two names', [MODEL, PROMPT, ...images(16), IMAGE], 'image'],
    ['1,000 images', [MODEL, PROMPT, ...images(1_000)], 'image[]'],
    ['two masks', [MODEL, PROMPT, IMAGE, MASK, MASK], 'mask'],
    ['two markups', [MODEL, PROMPT, IMAGE, ['markup', PNG, 'a'], ['markup', PNG, 'b']], 'markup'],
    ['a file of another name', [MODEL, PROMPT, IMAGE, ['video', PNG, 'v.mp4']], 'video'],
    ['a model that is a file', [['model', 'sim/image-free', 'model.txt'], PROMPT, IMAGE], 'model'],
    ['an empty image', [MODEL, PROMPT, ['image', '', 'a.png']], 'image'],
    ['one empty image of two', [MODEL, PROMPT, IMAGE, ['image[]', '', 'b.png']], 'image[]'],
    ['one field twice', [MODEL, PROMPT, IMAGE, ['n', '1'], ['n', '10']], 'n'],
    ['two models', [MODEL, PROMPT, IMAGE, ['model', 'sim/image-pro']], 'model'],
    ['another spelling', [MODEL, PROMPT, IMAGE, ['Partial-Images', '3']], 'Partial-Images'],
    ['a number as a list', [MODEL, PROMPT, IMAGE, ['n[]', '10']], 'n[]'],
    ['an entry of a list', [MODEL, PROMPT, IMAGE, ['model[0]', 'other']], 'model[0]'],
    ['a name with a space', [MODEL, PROMPT, IMAGE, [' model', 'other']], ' model'],
    ['a name with a NUL', [MODEL, PROMPT, IMAGE, ['model\0x', 'other']], 'model\0x'],
    ['10,000 fields', [MODEL, ...Array.from({ length: 10_000 }, (_, at): Part => [`f${at}`, 'x'])], null],
    ['an absurd field name', [MODEL, PROMPT, IMAGE, ['x'.repeat(5_000), 'y']], 'x'.repeat(100)],
    ['a file of an absurd name', [MODEL, PROMPT, ['x'.repeat(5_000), PNG, 'a']], 'x'.repeat(100)],
    ['fields of 2 MB together', [MODEL, PROMPT, IMAGE, ...textFields(4, 500_000)], 't2'],
    ['a prompt of 2 MB', [MODEL, ['prompt', 'x'.repeat(2_000_000)], IMAGE], 'prompt'],
  ])('with %s gets 400, and the provider sees nothing', async (_name, parts, param) => {
    const answer = await upload(encodeForm(parts));
    expect(answer.status, answer.body).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ type: 'invalid_request_error', param });
    expect(gateway.provider.requests).toEqual([]);
  });

  it.each([
    ['no boundary', 'multipart/form-data', 400],
    ['another boundary', 'multipart/form-data; boundary=other', 400],
    ['another type', 'application/x-www-form-urlencoded', 415],
  ])('with %s is refused', async (_name, contentType, status) => {
    expect((await upload(encodeForm([MODEL, PROMPT, IMAGE]), { contentType })).status).toBe(status);
  });

  it('compressed is refused', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect((await upload(encodeForm([MODEL, PROMPT, IMAGE]), { headers })).status).toBe(415);
  });

  it('without its end is refused, wherever it was cut', async () => {
    const whole = encodeForm([MODEL, PROMPT, ['image', Buffer.alloc(2_000), 'a.png']]);
    for (let length = 0; length < whole.length - 2; length += 97) {
      const answer = await upload(whole.subarray(0, length));
      expect(answer.status, `${length} bytes`).toBe(400);
    }
    expect(gateway.provider.requests).toEqual([]);
  });

  it.each([
    ['a whole form', [MODEL, PROMPT, IMAGE], 200],
    ['nothing', [], 400],
  ] as const)('with bytes after the end of %s is answered', async (_name, parts, status) => {
    for (const bytes of [1, 200_000]) {
      const body = Buffer.concat([encodeForm(parts), Buffer.alloc(bytes, 'more')]);
      expect((await upload(body)).status).toBe(status);
    }
  });

  it('cannot add headers or fields to the form of the provider by its names', async () => {
    const names = ['a"; name="model', 'a%0d%0aX: 1', 'a\\"b.png', '../../etc/passwd', 'é😀.png'];
    const parts = [MODEL, PROMPT, ...names.map((name): Part => ['image[]', PNG, name])];
    const answer = await upload(encodeForm([...parts, ['a%0D%0AContent-Type', 'x']]));
    expect(answer.status, answer.body).toBe(200);
    const [sent] = gateway.provider.requests;
    const heads = sent?.bodyText.match(/Content-Disposition: [^\r\n]*/g) ?? [];
    // Model, prompt, five images, and the field with the odd name.
    expect(heads).toHaveLength(8);
    for (const head of heads)
      expect(head).toMatch(/^Content-Disposition: form-data; name="[^"\r\n]*"(; filename="[^"\r\n]*")?$/);
    expect(sent?.body).toMatchObject({ model: 'sim-image-free' });
    expect(sent?.bodyText).not.toMatch(/^X: 1/m);
  });

  it('cannot add fields by an encoded filename, or by line breaks in one', async () => {
    for (const name of ["filename*=utf-8''a%22%0D%0AX:%201", 'filename="a\r\nX: 1"', 'filename="a\nX: 1"']) {
      gateway.provider.clear();
      const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="image[]"; ${name}\r\n\r\n`;
      const body = Buffer.concat([
        encodeForm([MODEL, PROMPT, IMAGE], ''),
        Buffer.from(head),
        PNG,
        Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
      ]);
      await upload(body);
      for (const { bodyText } of gateway.provider.requests) expect(bodyText).not.toMatch(/^X: 1/m);
    }
  });

  it('over the maximum gets 413, announced or not', async () => {
    const big = encodeForm([MODEL, PROMPT, ['image', Buffer.alloc(26 * MEBIBYTE), 'a.png']]);
    for (const body of [big, ReadableStream.from(pieces(big))]) {
      const answer = await upload(body);
      expect([answer.status, envelopeOf(answer).code]).toEqual([413, 'request_too_large']);
    }
    expect(gateway.provider.requests).toEqual([]);
  });

  it('just below the maximum reaches the provider, announced or not', async () => {
    const content = Buffer.alloc(25 * MEBIBYTE - 1_000, 'picture');
    const large = encodeForm([MODEL, PROMPT, ['image', content, 'a.png']]);
    for (const body of [large, ReadableStream.from(pieces(large))]) {
      gateway.provider.clear();
      expect((await upload(body)).status).toBe(200);
      expect(gateway.provider.requests[0]?.body).toMatchObject({ image: { bytes: content.length } });
    }
  });
});

describe('the memory of a form', () => {
  it('is claimed from the budget of bodies, and given back', async () => {
    const bodyBudget = tinyBudget(MEBIBYTE);
    await using small = await startGateway({ overrides: { bodyBudget } });
    const { rawKey: key } = await small.createKey();
    const form = (bytes: number) => encodeForm([MODEL, PROMPT, ['image', Buffer.alloc(bytes), 'a.png']]);
    const refused = await upload(form(2 * MEBIBYTE), { to: small, key });
    expect([refused.status, envelopeOf(refused).code]).toEqual([503, 'overloaded']);
    expect((await upload(form(MEBIBYTE / 2), { to: small, key })).status).toBe(200);
    await until(() => bodyBudget.usedBytes === 0);
  });

  it('is given back when the client leaves in the middle', async () => {
    const bodyBudget = tinyBudget(64 * MEBIBYTE);
    await using small = await startGateway({ overrides: { bodyBudget } });
    const { rawKey: key } = await small.createKey();
    const body = encodeForm([MODEL, PROMPT, ['image', Buffer.alloc(4 * MEBIBYTE), 'a.png']]);
    const socket = connect(Number(new URL(small.baseUrl).port), '127.0.0.1');
    socket.write(
      `POST ${PATH} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${FORM_TYPE}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    socket.write(body.subarray(0, MEBIBYTE));
    await until(() => bodyBudget.usedBytes >= body.length);
    socket.destroy();
    await until(() => bodyBudget.usedBytes === 0);
    expect(small.provider.requests).toEqual([]);
  });

  it('is not kept for a slow client', async () => {
    const bodyBudget = tinyBudget(64 * MEBIBYTE);
    const minimumRate = new MinimumRate({ windowMs: 400, bytes: 6_400 });
    await using small = await startGateway({ overrides: { bodyBudget, minimumRate } });
    const { rawKey: key } = await small.createKey();
    const answer = await upload(ReadableStream.from(slowly(encodeForm([MODEL, PROMPT, IMAGE]))), {
      to: small,
      key,
    });
    expect(answer.status).toBe(408);
    await until(() => bodyBudget.usedBytes === 0);
  });
});

function tinyBudget(bytes: number) {
  const shares = { totalBytes: bytes, keyBytes: bytes, accountBytes: bytes, reserveBytes: 0 };
  return createBodyBudget({ ...bodyBudgetBounds(512 * MEBIBYTE, 1), ...shares });
}

function* pieces(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += MEBIBYTE) yield body.subarray(at, at + MEBIBYTE);
}

async function* slowly(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at++) {
    yield body.subarray(at, at + 1);
    await wait(20);
  }
}
