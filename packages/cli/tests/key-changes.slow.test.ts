import { isWellFormedApiKey } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Stack, startStack } from './stack-fixture.ts';

const rotated = z.object({
  id: z.string(),
  key: z.string(),
  expires_at: z.string().nullable(),
  replaced: z.object({ id: z.string(), status: z.string(), expires_at: z.string().nullable() }),
});

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const inMs = (ms: number) => new Date(Math.ceil((Date.now() + ms) / 1_000) * 1_000);

describe('gatewayctl keys rename', () => {
  it('gives a key another name and changes nothing else', async () => {
    const { email } = await stack.newAccount();
    const { id, key } = await stack.newKey(email);
    const { code, out } = await stack.process('keys', 'rename', id, '  build server ', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ id, name: 'build server', status: 'active' });
    expect(await stack.use(key)).toEqual([200, 200]);
  });

  it('refuses a name that is too long, and says of a key that is not there that it is not', async () => {
    const { email } = await stack.newAccount();
    const { id } = await stack.newKey(email);
    expect(await stack.run('keys', 'rename', id, 'x'.repeat(201))).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/a key needs a name of 1 to 200 characters/),
    });
    expect(await stack.run('keys', 'rename', 'key_nothing', 'x')).toMatchObject({ code: 1, out: '' });
  });
});

describe('gatewayctl keys rotate', () => {
  it('prints the new key alone, and every data plane refuses the other one from then on', async () => {
    const { email } = await stack.newAccount();
    const { id, key } = await stack.newKey(email);
    expect(await stack.use(key)).toEqual([200, 200]);
    const { code, out, err } = await stack.process('keys', 'rotate', id);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(
        /^key_\w+ \(test\): shown once; it cannot be recovered; key_\w+ is revoked\n$/,
      ),
    });
    expect(isWellFormedApiKey(out.trimEnd())).toBe(true);
    expect(await stack.use(key)).toEqual([401, 401]);
    expect(await stack.use(out.trimEnd())).toEqual([200, 200]);
  });

  it('lets both work for the overlap, then only the new one', async () => {
    const { email } = await stack.newAccount();
    const { id, key } = await stack.newKey(email);
    expect(await stack.use(key)).toEqual([200, 200]);
    const answer = rotated.parse(await stack.json('keys', 'rotate', id, '--overlap', '5s'));
    expect(answer.replaced).toMatchObject({ id, status: 'active', expires_at: expect.any(String) });
    expect(answer.expires_at).toBeNull();
    expect(await stack.use(answer.key)).toEqual([200, 200]);
    const endMs = Date.parse(answer.replaced.expires_at ?? '');
    for (let statuses = [200, 200], askedAtMs = 0; statuses.includes(200); ) {
      // A request that was answered was sent before the key's end.
      expect(askedAtMs).toBeLessThan(endMs);
      askedAtMs = Date.now();
      statuses = await stack.use(key);
      expect([200, 401]).toEqual(expect.arrayContaining(statuses));
    }
    expect(Date.now()).toBeGreaterThanOrEqual(endMs);
    expect(await stack.use(key)).toEqual([401, 401]);
    expect(await stack.use(answer.key)).toEqual([200, 200]);
  });

  it('gives the new key the end, the seat and the name of the other one', async () => {
    const { email } = await stack.newAccount();
    const team = await stack.id('teams', 'create', '--account', email, '--name', 'rotating');
    const seat = await stack.id('seats', 'add', '--team', team, '--account', email);
    const { id } = await stack.newKey(email, '--seat', seat);
    const end = inMs(3_600_000).toISOString();
    await stack.json('keys', 'expire', id, '--at', end);
    const list = await stack.run('keys', 'list', '--account', email);
    expect(list.out).toContain(`active until ${end}`);
    expect(await stack.json('keys', 'rotate', id, '--overlap', '7d')).toMatchObject({
      name: 'test',
      seat_id: seat,
      expires_at: end,
      // The overlap of a week does not make the old key live longer than it would have lived anyway.
      replaced: { id, expires_at: end },
    });
  });

  it('refuses what cannot be rotated: what was rotated, what is revoked, and too long an overlap', async () => {
    const { email } = await stack.newAccount();
    const { id } = await stack.newKey(email);
    expect(await stack.run('keys', 'rotate', id, '--overlap', '91d')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/at most 90 days/),
    });
    const answer = rotated.parse(await stack.json('keys', 'rotate', id, '--overlap', '1h'));
    expect(await stack.run('keys', 'rotate', id)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`rotate ${answer.id}`),
    });
    await stack.json('keys', 'revoke', answer.id);
    expect(await stack.run('keys', 'rotate', answer.id)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/is revoked/),
    });
  });
});

describe('gatewayctl keys expire', () => {
  it('ends a key at that moment on every data plane that has it cached, and cuts its open streams', async () => {
    const { email } = await stack.newAccount();
    const { id, key } = await stack.newKey(email);
    expect(await stack.use(key)).toEqual([200, 200]);
    const streams = await Promise.all([0, 1].map((plane) => openStream(plane, key)));
    const end = inMs(6_000);
    expect(await stack.json('keys', 'expire', id, '--at', end.toISOString())).toMatchObject({
      id,
      status: 'active',
      expires_at: end.toISOString(),
      unconfirmed_instances: [],
    });
    for (let statuses = [200, 200], askedAtMs = 0; statuses.includes(200); ) {
      expect(askedAtMs).toBeLessThan(end.getTime());
      askedAtMs = Date.now();
      statuses = await stack.use(key);
      expect([200, 401]).toEqual(expect.arrayContaining(statuses));
    }
    expect(Date.now()).toBeGreaterThanOrEqual(end.getTime());
    for (const { ended } of streams) {
      const text = await ended;
      expect(text).toContain('has expired');
      expect(text).not.toContain('[DONE]');
    }
    expect(await stack.json('keys', 'list', '--account', email)).toMatchObject([{ id, status: 'expired' }]);
    expect(await stack.run('keys', 'expire', id, '--at', 'never')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/has expired/),
    });
  });

  it('an expiry can be removed before it is reached, also for open streams', async () => {
    const { email } = await stack.newAccount();
    const { id, key } = await stack.newKey(email);
    const end = inMs(8_000);
    await stack.json('keys', 'expire', id, '--at', end.toISOString());
    const stream = await openStream(0, key, 12);
    expect(await stack.use(key)).toEqual([200, 200]);
    const { code, out } = await stack.run('keys', 'expire', id, '--at', 'never');
    expect({ code, out }).toEqual({ code: 0, out: `${id} never expires; known everywhere\n` });
    await until(() => Date.now() > end.getTime());
    expect(await stack.use(key)).toEqual([200, 200]);
    expect(await stream.ended).toContain('[DONE]');
  });

  it('ends a key at once, for good', async () => {
    const { email } = await stack.newAccount();
    const { id, key } = await stack.newKey(email);
    expect(await stack.use(key)).toEqual([200, 200]);
    const { code, out } = await stack.process('keys', 'expire', id, '--at', 'now');
    expect({ code, out }).toEqual({ code: 0, out: `${id} revoked; known everywhere\n` });
    expect(await stack.use(key)).toEqual([401, 401]);
  });

  it('refuses a moment that is past, and what is none', async () => {
    const { email } = await stack.newAccount();
    for (const past of ['2020-03-31', '90']) {
      const made = await stack.run('keys', 'create', '--account', email, '--name', 'k', '--expires', past);
      // A new key cannot end now.
      expect(made).toMatchObject({ code: 1, err: expect.stringMatching(/still to come(?!.*now)/) });
    }
    const { id } = await stack.newKey(email);
    expect(await stack.run('keys', 'expire', id, '--at', '2020-01-01')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/still to come.*now/),
    });
    expect(await stack.run('keys', 'expire', id, '--at', 'tomorrow')).toMatchObject({ code: 2 });
    expect(await stack.run('keys', 'expire', id)).toMatchObject({ code: 2 });
  });
});

/**
 * Opens a stream that lasts for about `seconds`, and resolves when it has begun. `ended` resolves with its
 * text, whether it ended well or not.
 */
async function openStream(plane: number, rawKey: string, seconds = 60): Promise<{ ended: Promise<string> }> {
  const response = await fetch(`${stack.gateway.urlOf(plane)}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/chat-free',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 500,
      stream: true,
      simulate: { token_delay_ms: seconds * 10, content: 'word '.repeat(100) },
    }),
  });
  expect(response.status).toBe(200);
  return { ended: readToEnd(response) };
}

async function readToEnd(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    // The stream was cut off, as a failed stream must be.
  }
  return text;
}
