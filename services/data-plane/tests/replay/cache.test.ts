import { metricOf, until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';

const redisUrl = inject('redis')?.url ?? '';
const PAID = { model: 'sim/chat-pro' };

const cached = (directives = 'read, write', more: Record<string, string> = {}) => ({
  headers: { 'x-gateway-cache': directives, ...more },
});

describe.skipIf(redisUrl === '')('a request that asks for the cache', () => {
  const gateway = withGateway({ redisUrl });
  const outcomeOf = ({ headers }: { headers: Headers }) => headers.get('x-gateway-cache');
  const text = (content: string) => ({ ...PAID, messages: [{ role: 'user', content }] });
  /** Sends a request of another text each time, unless it is given. */
  const ask = (content: string, directives?: string, more?: Record<string, string>) =>
    gateway.chat(text(content), cached(directives, more));
  const purge = (query = '', key = gateway.rawKey) =>
    fetch(`${gateway.baseUrl}/v1/cache${query}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    });

  it.each([[false], [true]])('gets an earlier answer as it was, at no cost (stream: %s)', async (stream) => {
    const members = { ...text(`first ${stream}`), stream };
    const first = await gateway.chat(members, cached());
    const again = await gateway.chat(members, cached());
    expect([outcomeOf(first), outcomeOf(again)]).toEqual(['miss', 'hit']);
    expect(again.body).toBe(first.body);
    expect(again.headers.get('content-type')).toBe(first.headers.get('content-type'));
    expect(again.headers.get('x-gateway-model')).toBe('sim/chat-pro');
    expect(Number(again.headers.get('age'))).toBeGreaterThanOrEqual(0);
    expect(again.headers.get('x-gateway-cache-key')).toBe(first.headers.get('x-gateway-cache-key'));
    expect(gateway.provider.requests).toHaveLength(1);
    const receipt = await gateway.receiptOf(again);
    expect(receipt).toMatchObject({ billing_reason: 'cache_hit', attempts: [], status: 200 });
    expect(receipt.settled_usd).toBe('0.000000000');
    expect(await gateway.receiptOf(first)).toMatchObject({ billing_reason: 'completed' });
  });

  it('for a text completion gets an earlier one as it was, at no cost', async () => {
    const completion = { model: 'sim/complete-pro', prompt: 'a' };
    const first = await gateway.ask('completions', completion, cached());
    const again = await gateway.ask('completions', completion, cached());
    expect([outcomeOf(again), again.body]).toEqual(['hit', first.body]);
    expect(await gateway.receiptOf(again)).toMatchObject({ settled_usd: '0.000000000' });
  });

  it('without the header neither reads nor writes', async () => {
    const plain = await gateway.chat(text('plain'));
    expect(outcomeOf(plain)).toBeNull();
    expect(outcomeOf(await ask('plain', 'read'))).toBe('miss');
    expect(outcomeOf(await ask('plain', 'read'))).toBe('miss');
    expect(outcomeOf(await ask('plain', 'write'))).toBe('miss');
    expect(outcomeOf(await ask('plain', 'write'))).toBe('miss');
    expect(outcomeOf(await ask('plain', 'read'))).toBe('hit');
    expect(outcomeOf(await gateway.chat(text('plain')))).toBeNull();
  });

  it('differs by model, parameters, exact numbers, betas and account, and not by how JSON is written', async () => {
    const body =
      '{"model":"sim/chat-pro","messages":[{"role":"user","content":"\u00e9"}],"seed":9007199254740993}';
    const send = (json: string, options: Parameters<typeof gateway.ask>[2] = cached()) =>
      gateway.ask('chat/completions', json, options);
    expect(outcomeOf(await send(body))).toBe('miss');
    const same = ` {"seed": 9007199254740993, "messages":[{"content":"\\u00e9","role":"user"}],"model":"sim/chat-pro"}`;
    expect(outcomeOf(await send(same))).toBe('hit');
    expect(outcomeOf(await send(body.replace('0993', '0992')))).toBe('miss');
    expect(outcomeOf(await send(body.replace('-pro', '-free')))).toBe('miss');
    expect(outcomeOf(await send(body.replace('\u00e9', 'e\u0301')))).toBe('miss');
    expect(outcomeOf(await send(body, cached('read', { 'openai-beta': 'x=v1' })))).toBe('miss');
    const stranger = await gateway.createKey();
    expect(outcomeOf(await send(body, { ...cached(), key: stranger.rawKey }))).toBe('miss');
    const colleague = await gateway.createKey(stranger.accountId);
    expect(outcomeOf(await send(body, { ...cached(), key: colleague.rawKey }))).toBe('hit');
  });

  it('gets an answer that is cached although its budget is used up', async () => {
    const { accountId, rawKey } = await gateway.createKey();
    const request = {
      account: accountId,
      name: 'poor',
      rulesJson: JSON.stringify({ budgets: [{ usd: '0.000000001', window: 'total' }] }),
    };
    const poor = await gateway.admin.call(30_000, 'accounts', 'createKey', request);
    const ask = (content: string, key: string) => gateway.chat(text(content), { ...cached(), key });
    await ask('paid before', rawKey);
    const hit = await ask('paid before', poor.rawKey);
    expect([hit.status, outcomeOf(hit)]).toEqual([200, 'hit']);
    expect((await ask('not paid', poor.rawKey)).status).toBe(402);
  });

  it.each([
    ['images/generations', { model: 'sim/image-pro', prompt: 'A cat' }],
    ['audio/speech', { model: 'sim/speech-pro', input: 'Hello', voice: 'alloy' }],
    ['audio/speech', { model: 'sim/speech-pro', input: 'Hello', voice: 'alloy', stream_format: 'sse' }],
  ])('gets an earlier picture or recording byte for byte: %s %j', async (path, body) => {
    const send = async () => {
      const response = await gateway.post(path, body, cached());
      const bytes = Buffer.from(await response.arrayBuffer());
      const type = response.headers.get('content-type');
      return { outcome: outcomeOf(response), status: response.status, type, bytes };
    };
    const [first, again] = [await send(), await send()];
    expect(first).toMatchObject({ status: 200, outcome: 'miss' });
    expect(first.bytes.length).toBeGreaterThan(100);
    expect(again).toEqual({ ...first, outcome: 'hit' });
  });

  it('expires after its ttl', async () => {
    expect(outcomeOf(await ask('short', 'write; ttl=1'))).toBe('miss');
    await until(async () => outcomeOf(await ask('short', 'read')) === 'miss');
  });

  it.each([
    '',
    'off, read',
    'read read',
    'ttl=5',
    'read; ttl=0',
    'read; ttl=604801',
    'read; ttl=1; ttl=2',
    'read, store',
  ])('is refused with what is allowed for %j', async (directives) => {
    const answer = await ask('malformed', directives);
    const { code, message, param } = JSON.parse(answer.body).error;
    expect([answer.status, code, param]).toEqual([400, 'invalid_request', 'x-gateway-cache']);
    expect(message).toContain('read, write; ttl=3600');
  });

  it('does not store a failure or a broken answer', async () => {
    gateway.provider.script({ status: 500 }, { truncate: { after_events: 2 } });
    expect((await ask('failing')).status).not.toBe(200);
    const members = { ...text('failing'), stream: true };
    expect((await gateway.chat(members, cached())).isBroken).toBe(true);
    expect(outcomeOf(await ask('failing'))).toBe('miss');
    expect(outcomeOf(await gateway.chat(members, cached()))).toBe('miss');
    expect(outcomeOf(await gateway.chat(members, cached()))).toBe('hit');
  });

  it('100 equal ones at once are one request at the provider', async () => {
    const members = { ...text('at once'), simulate: { delay_ms: 200 } };
    const answers = await Promise.all(Array.from({ length: 100 }, () => gateway.chat(members, cached())));
    expect(gateway.provider.requests).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers.filter((answer) => outcomeOf(answer) === 'hit')).toHaveLength(99);
  });

  it('that only writes waits for no equal one', async () => {
    const members = { ...text('only writes'), simulate: { delay_ms: 5_000 } };
    let isFirstOver = false;
    const first = gateway.chat(members, cached('write')).finally(() => {
      isFirstOver = true;
    });
    await gateway.provider.waitForRequest();
    const second = gateway.chat(members, cached('write'));
    await until(() => gateway.provider.requests.length === 2);
    expect(isFirstOver).toBe(false);
    await Promise.all([first, second]);
  });

  it('that continues something stored, or runs in the background, bypasses it', async () => {
    for (const members of [
      { previous_response_id: 'resp_x' },
      { background: true },
      { conversation: 'conv_1' },
    ]) {
      const answer = await gateway.ask('responses', { ...PAID, input: 'hi', ...members }, cached());
      expect(outcomeOf(answer), JSON.stringify(members)).not.toBe('hit');
      expect(outcomeOf(answer), JSON.stringify(members)).not.toBe('miss');
    }
  });

  it('is asked anew after a purge of all, a model, a tag, an API key, or the request itself', async () => {
    const tags = { 'x-gateway-tags': 'project=alpha' };
    const first = await ask('purged', 'read, write', tags);
    const key = await gateway.createKey();
    const purges = [
      ['?model=sim/chat-free', 'hit'],
      ['?tag=project%3Dbeta', 'hit'],
      [`?api_key=${key.id}`, 'hit'],
      [`?cache_key=${'a'.repeat(43)}`, 'hit'],
      ['?model=sim/chat-pro', 'miss'],
      ['?tag=project%3Dalpha', 'miss'],
      [`?cache_key=${first.headers.get('x-gateway-cache-key')}`, 'miss'],
      ['', 'miss'],
    ] as const;
    for (const [query, outcome] of purges) {
      const purged = await purge(query);
      expect([purged.status, JSON.parse(await purged.text()).object], query).toEqual([200, 'cache.purged']);
      expect(outcomeOf(await ask('purged', 'read, write', tags)), query).toBe(outcome);
    }
    // A stranger purges only answers of the own account.
    await (await purge('', key.rawKey)).body?.cancel();
    expect(outcomeOf(await ask('purged', 'read', tags))).toBe('hit');
    for (const query of ['?model=', '?tag=alpha', '?all=1', '?model=a&tag=b=c', '?cache_key=x'])
      expect((await purge(query)).status, query).toBe(400);
  });

  it('an answer that was on its way during a purge is not stored', async () => {
    const members = { ...text('late'), simulate: { delay_ms: 200 } };
    const running = gateway.chat(members, cached());
    await gateway.provider.waitForRequest();
    await (await purge()).body?.cancel();
    await running;
    expect(outcomeOf(await gateway.chat(members, cached()))).toBe('miss');
  });

  it('with an Idempotency-Key, both hold', async () => {
    await ask('both');
    const hit = await ask('both', 'read', { 'idempotency-key': 'cache-and-key' });
    const again = await ask('both', 'read', { 'idempotency-key': 'cache-and-key' });
    expect([outcomeOf(hit), again.headers.get('idempotency-replayed')]).toEqual(['hit', 'true']);
    expect(again.body).toBe(hit.body);
  });

  it('is counted', async () => {
    for (const outcome of ['hit', 'miss', 'bypass'])
      expect(
        await metricOf(gateway.dataPlanes[0], 'gateway_cached_requests_total', { outcome }),
        outcome,
      ).toBeGreaterThan(0);
  });
});
