import { chatCompletionsRequest } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { JsonQueue } from './json-queue.ts';

const turns = new JsonQueue();
afterAll(() => turns.close());

const MESSAGES = '"messages":[{"role":"user","content":"ä"}]';
const OWNER = { keyId: 'key', accountId: 'account' };
const never = new AbortController().signal;

function take(json: string | Buffer, { owner = OWNER, signal = never, check = () => undefined } = {}) {
  // One buffer has memory of its own, like those of the network; the other shares its memory.
  const bytes = Buffer.from(json);
  const half = Math.floor(bytes.length / 2);
  const chunks = [Buffer.from(new Uint8Array(bytes.subarray(0, half)).buffer), bytes.subarray(half)];
  return turns.take({ owner, schema: chatCompletionsRequest, chunks, signal, check });
}

describe('a body that the worker thread validates', () => {
  it('has the same value as on the main thread, and its bytes come back', async () => {
    const json = `{"a":1,"model":"é/m",${MESSAGES},"notre":{},"stream":true}`;
    const { value, members, size, chunks, inputBytes } = await take(json);
    expect(value).toMatchObject({ model: 'é/m', streamed: true, choices: 1 });
    expect(Buffer.concat(chunks).toString()).toBe(json);
    expect(size).toBe(Buffer.byteLength(json));
    // An estimate needs this, so that the body is not parsed again.
    expect(inputBytes).toBe(Buffer.byteLength('userä'));
    const model = members.find(({ name }) => name === 'model');
    expect(Buffer.from(json).subarray(model?.valueStart, model?.end).toString()).toBe('"é/m"');
  });

  it.each([
    ['{"model":"m","model":"n"}', { code: 'invalid_json', status: 400, param: null }],
    ['{"model":"m","messages":[{}]}', { code: 'invalid_request', param: 'messages[0].role' }],
    ['{"model":', { code: 'invalid_json' }],
  ])('is refused with the same error as on the main thread: %s', async (json, refusal) => {
    await expect(take(json)).rejects.toMatchObject(refusal);
  });

  it('must have a schema that is listed by name', async () => {
    const stranger = {
      owner: OWNER,
      schema: z.object({}),
      chunks: [],
      signal: never,
      check: () => undefined,
    };
    await expect(turns.take(stranger)).rejects.toThrow('schema without a name');
  });
});

describe('the queue of the worker thread', () => {
  const json = `{"model":"m",${MESSAGES}}`;

  it('alternates between waiting keys, however many jobs one of them has', async () => {
    const order: string[] = [];
    const asked = ['greedy', 'greedy', 'greedy', 'honest'].map((keyId) =>
      take(json, { owner: { ...OWNER, keyId }, check: () => void order.push(keyId) }),
    );
    await Promise.all(asked);
    expect(order).toEqual(['greedy', 'greedy', 'honest', 'greedy']);
  });

  it('alternates between accounts first, however many keys one of them has', async () => {
    const order: string[] = [];
    const owners = Array.from({ length: 5 }, (_, index) => ({ keyId: `key${index}`, accountId: 'greedy' }));
    const asked = [...owners, { keyId: 'key', accountId: 'honest' }].map((owner) =>
      take(json, { owner, check: () => void order.push(owner.keyId) }),
    );
    await Promise.all(asked);
    expect(order).toEqual(['key0', 'key1', 'key', 'key2', 'key3', 'key4']);
  });

  it('drops jobs whose client left, and jobs that their check rejects', async () => {
    const gone = new AbortController();
    const first = take(json);
    const left = take(json, { signal: gone.signal });
    const unwanted = take(json, {
      check: () => {
        throw new Error('not wanted');
      },
    });
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(unwanted).rejects.toThrow('not wanted');
    await first;
    await take(json);
  });

  it('ends an idle thread, and starts a new one for the next job', async () => {
    const idle = new JsonQueue(1);
    const one = { owner: OWNER, schema: chatCompletionsRequest, signal: never, check: () => undefined };
    await idle.take({ ...one, chunks: [Buffer.from(json)] });
    await until(() => !idle.hasThread);
    expect((await idle.take({ ...one, chunks: [Buffer.from(json)] })).value.model).toBe('m');
    await idle.close();
  });
});
