import { connect, type Socket } from 'node:net';
import {
  envelopeOf,
  readAnswer,
  startGateway,
  type TestGateway,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { MinimumRate } from '../../src/http/minimum-rate.ts';
import { bodyBudgetBounds, createBodyBudget } from '../../src/memory/body-budget.ts';

const MEBIBYTE = 1024 * 1024;
const CONTENT = '"messages":[{"role":"user","content":"';

/** The budget of a data plane in a container of 512 MiB. */
function budgetOf512() {
  return createBodyBudget(bodyBudgetBounds(512 * MEBIBYTE, 25 * MEBIBYTE));
}

function chatOf(bytes: number, model = 'sim/chat-free', more = ''): string {
  const start = `{"model":"${model}",${more}"max_tokens":1,${CONTENT}`;
  const end = '"}]}';
  return start + 'x'.repeat(bytes - start.length - end.length) + end;
}

function post(gateway: TestGateway, rawKey: string, body: string | ReadableStream): Promise<Response> {
  return fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  });
}

/** A request of which only a part is sent. */
function begin(
  gateway: TestGateway,
  rawKey: string,
  announcedBytes: number | 'chunked',
  sent: string,
): Socket {
  const socket = connect(Number(new URL(gateway.baseUrl).port), '127.0.0.1');
  const length =
    announcedBytes === 'chunked' ? 'Transfer-Encoding: chunked' : `Content-Length: ${announcedBytes}`;
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
  );
  socket.write(announcedBytes === 'chunked' ? `${sent.length.toString(16)}\r\n${sent}\r\n` : sent);
  socket.on('error', () => undefined);
  return socket;
}

describe('uploads that never end', () => {
  it('endless uploads of one key do not block other keys, or small requests of the same key', async () => {
    const bodyBudget = budgetOf512();
    await using gateway = await startGateway({ overrides: { bodyBudget } });
    const [hostile, honest] = await Promise.all([gateway.createKey(), gateway.createKey()]);
    expect((await post(gateway, hostile.rawKey, chatOf(1_000))).status).toBe(200);
    const slow = Array.from({ length: 4 }, () =>
      begin(gateway, hostile.rawKey, 20 * MEBIBYTE, chatOf(20 * MEBIBYTE).slice(0, 19 * MEBIBYTE)),
    );
    try {
      await until(() => bodyBudget.usedBytes >= 20 * MEBIBYTE && bodyBudget.waitingClaims === 3);
      expect(bodyBudget.usedBytes).toBeLessThan(21 * MEBIBYTE);
      for (const bytes of [1_000, 100_000, 10 * MEBIBYTE, 20 * MEBIBYTE]) {
        const answer = await post(gateway, honest.rawKey, chatOf(bytes));
        await answer.arrayBuffer();
        expect(answer.status).toBe(200);
      }
      expect((await post(gateway, hostile.rawKey, chatOf(1_000))).status).toBe(200);
    } finally {
      for (const socket of slow) socket.destroy();
    }
    await until(() => bodyBudget.usedBytes === 0 && bodyBudget.waitingClaims === 0);
  });

  it('an upload below the minimum rate gets 408, whatever length it announced', async () => {
    const minimumRate = new MinimumRate({ windowMs: 400, bytes: 6_400 });
    const bodyBudget = budgetOf512();
    await using gateway = await startGateway({ overrides: { bodyBudget, minimumRate } });
    const { rawKey } = await gateway.createKey();
    for (const announced of [1_000, 20 * MEBIBYTE, 'chunked'] as const) {
      const socket = begin(gateway, rawKey, announced, '{"model":');
      const drip = setInterval(() => socket.write(announced === 'chunked' ? '1\r\n \r\n' : ' '), 20);
      const answer = await readAnswer(socket);
      clearInterval(drip);
      socket.destroy();
      expect(answer.status).toBe(408);
      expect(envelopeOf(answer)).toMatchObject({ code: 'request_timeout' });
      expect(answer.headers.connection).toBe('close');
    }
    await until(() => bodyBudget.usedBytes === 0);
  });
});

describe('a body that does not fit into the memory budget', () => {
  const tight = (maxWaitMs: number) => {
    const shares = { totalBytes: 22 * MEBIBYTE, keyBytes: 22 * MEBIBYTE, accountBytes: 22 * MEBIBYTE };
    return createBodyBudget({ ...bodyBudgetBounds(512 * MEBIBYTE, 1), ...shares, maxWaitMs });
  };
  const large = chatOf(12 * MEBIBYTE);

  it('a body waits for memory, whether or not it announced its length', async () => {
    const bodyBudget = tight(60_000);
    await using gateway = await startGateway({ overrides: { bodyBudget } });
    const { rawKey } = await gateway.createKey();
    // Only one of them has room at a time.
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const answer = await post(gateway, rawKey, index % 2 === 0 ? large : new Blob([large]).stream());
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    expect(statuses).toEqual(Array.from({ length: 6 }, () => 200));
    await until(() => bodyBudget.usedBytes === 0);
  });

  it('a body gets 503 when no memory becomes free', async () => {
    const bodyBudget = tight(300);
    await using gateway = await startGateway({ overrides: { bodyBudget } });
    const { rawKey } = await gateway.createKey();
    expect((await post(gateway, rawKey, chatOf(1_000))).status).toBe(200);
    const holder = begin(gateway, rawKey, large.length, large.slice(0, MEBIBYTE));
    await until(() => bodyBudget.usedBytes > MEBIBYTE);
    const refused = await post(gateway, rawKey, large);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(envelopeOf({ body: await refused.text() })).toMatchObject({ code: 'overloaded' });
    holder.destroy();
    await until(() => bodyBudget.usedBytes === 0);
  });
});

describe('a large body of a key at its limits', () => {
  const gateway = withGateway({ defaultLimits: true });
  beforeAll(async () => {
    const statuses = new Set<number>();
    for (let sent = 0; sent <= 60; sent++)
      statuses.add((await post(gateway, gateway.rawKey, chatOf(200))).status);
    expect([...statuses]).toEqual([200, 429]);
  });

  const unread = async (sent: string, announced: number | 'chunked' = 20 * MEBIBYTE) => {
    const socket = begin(gateway, gateway.rawKey, announced, sent);
    const answer = await readAnswer(socket);
    socket.destroy();
    return answer;
  };

  it('a large body is refused unread once its model is known', async () => {
    for (const announced of [20 * MEBIBYTE, 'chunked'] as const) {
      const answer = await unread(chatOf(80_000).slice(0, 70_000), announced);
      expect(answer.status).toBe(429);
      expect(envelopeOf(answer).message).toContain('60 requests per minute');
      expect(answer.headers['x-ratelimit-remaining-requests']).toBe('0');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
  });

  it('a large body is read when it may be for a model of another tier', async () => {
    expect((await post(gateway, gateway.rawKey, chatOf(MEBIBYTE, 'sim/chat-pro'))).status).toBe(200);
    const later = chatOf(MEBIBYTE)
      .replace('{"model":"sim/chat-free",', '{')
      .replace(/\}$/, ',"model":"sim/chat-pro"}');
    expect((await post(gateway, gateway.rawKey, later)).status).toBe(200);
    expect((await post(gateway, gateway.rawKey, '{"model":"sim/chat-free"}')).status).toBe(400);
    expect((await post(gateway, gateway.rawKey, chatOf(300, 'no/model'))).status).toBe(404);
  });

  it('a large body is refused before any of it is sent when every limit is full', async () => {
    let status = 200;
    while (status === 200) ({ status } = await post(gateway, gateway.rawKey, chatOf(200, 'sim/chat-pro')));
    expect(status).toBe(429);
    expect((await unread('')).status).toBe(429);
    // Earlier checks still come first.
    const tooLarge = begin(gateway, gateway.rawKey, 21 * MEBIBYTE, '');
    expect((await readAnswer(tooLarge)).status).toBe(413);
    tooLarge.destroy();
  });
});
