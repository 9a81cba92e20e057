import { randomBytes } from 'node:crypto';
import { connectRedis, type RedisConnection } from '@model-gateway/limits';
import { startGateway, startOwnRedis, type TestGateway, until, withGateway } from '@model-gateway/test-kit';
import { startTcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { allApis, RESPONSES } from '../endpoints/all-apis.ts';
import { CHAT, CLAUDE } from '../endpoints/both-apis.ts';
import { monitorRedis } from '../limits/redis-monitor.ts';
import { startRedisCluster } from '../limits/start-redis-cluster.ts';
import { counted, STATE } from './storage-settings.ts';

const redisUrl = inject('redis')?.url ?? '';

function clientFor(gateway: TestGateway, apiKey: string, port = gateway.dataPlanes[0]?.port): OpenAI {
  return new OpenAI({ apiKey, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
}

/** The Redis commands that limit requests, and that write and read stored responses. */
const OF_REQUESTS: ReadonlySet<string> = new Set(['EVAL', 'EVALSHA', 'MGET', 'SET', 'DEL', 'UNLINK']);

const notFound = { status: 404, code: 'previous_response_not_found' };

describe.skipIf(redisUrl === '')('a stored response', () => {
  let connection: RedisConnection;
  let redis: RedisConnection['client'];
  const gateway = withGateway({ document: allApis, redisUrl, environment: STATE });
  beforeAll(async () => {
    connection = connectRedis({ url: redisUrl });
    await connection.whenReady(5_000);
    redis = connection.client;
  });
  afterAll(async () => {
    connection?.close();
  });

  /** An account, its client, and the names and values that are kept for it. */
  async function account() {
    const { accountId, rawKey } = await gateway.createKey();
    const named = async () => {
      const names = await redis.keys(`gateway:kept:{${accountId}}:*`);
      return new Map(
        await Promise.all(names.map(async (name) => [name, await redis.getBuffer(name)] as const)),
      );
    };
    return { client: clientFor(gateway, rawKey), accountId, named };
  }

  it('a stored response is encrypted in Redis, and key names tell no more than ids', async () => {
    const { client, named } = await account();
    const first = await client.responses.create({
      model: CLAUDE,
      instructions: 'Speak of elephants.',
      input: 'My password is swordfish.',
    });
    const values = await named();
    expect([...values.keys()].map((name) => name.split(':').at(-1)).sort()).toEqual(
      [first.id, ...first.output.map(({ id }) => id)].sort(),
    );
    const all = Buffer.concat([...values.values()].map((value) => value ?? Buffer.alloc(0))).toString(
      'latin1',
    );
    expect(all.length).toBeGreaterThan(1_000);
    for (const plain of ['swordfish', 'elephants', 'message', 'claude', first.output_text.slice(0, 12)])
      expect(all).not.toContain(plain);
  });

  it('a stored response expires after its TTL', async () => {
    const plane = await gateway.startDataPlane({ RESPONSES_STATE_TTL_S: '1' });
    const { rawKey } = await gateway.createKey();
    const client = clientFor(gateway, rawKey, plane.port);
    const { id } = await client.responses.create({ model: CLAUDE, input: 'hi' });
    await until(() =>
      client.responses.retrieve(id).then(
        () => false,
        ({ status }) => status === 404,
      ),
    );
    await expect(
      client.responses.create({ model: CLAUDE, previous_response_id: id, input: 'well?' }),
    ).rejects.toMatchObject(notFound);
  });

  it('a stored response that was changed or moved in Redis reads as missing', async () => {
    const mine = await account();
    const other = await account();
    const { id } = await mine.client.responses.create({ model: CLAUDE, input: 'one' });
    const next = await mine.client.responses.create({ model: CLAUDE, input: 'two' });
    const foreign = await other.client.responses.create({ model: CLAUDE, input: 'three' });
    const nameOf = (accountId: string, responseId: string) => `gateway:kept:{${accountId}}:${responseId}`;
    const name = nameOf(mine.accountId, id);
    const whole = (await redis.getBuffer(name)) ?? Buffer.alloc(0);
    const copies = [
      await redis.getBuffer(nameOf(mine.accountId, next.id)),
      await redis.getBuffer(nameOf(other.accountId, foreign.id)),
      Buffer.alloc(0),
      Buffer.from('{"response":{}}'),
    ];
    for (const place of [0, 1, 12, 13, 40, whole.length - 1]) {
      const changed = Buffer.from(whole);
      changed[place] = (changed[place] ?? 0) ^ 1;
      copies.push(changed);
    }
    for (const value of copies) {
      await redis.set(name, value ?? '');
      await expect(mine.client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
      await expect(
        mine.client.responses.create({ model: CLAUDE, previous_response_id: id, input: 'well?' }),
      ).rejects.toMatchObject(notFound);
    }
    expect(gateway.logText()).toContain('was changed in Redis');
    expect(await counted(gateway, 'read', 'unreadable')).toBeGreaterThanOrEqual(copies.length - 1);
    await redis.set(name, whole);
    expect(await mine.client.responses.retrieve(id)).toMatchObject({ id });
  });

  it('a stored response is missing for a data plane with another encryption key', async () => {
    const plane = await gateway.startDataPlane({ RESPONSES_STATE_KEY: randomBytes(32).toString('base64') });
    const { rawKey } = await gateway.createKey();
    const { id } = await clientFor(gateway, rawKey).responses.create({ model: CLAUDE, input: 'hi' });
    const client = clientFor(gateway, rawKey, plane.port);
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it('nothing is stored, and Redis is not asked, without the setting', async () => {
    const plane = await gateway.startDataPlane({ RESPONSES_STATE_TTL_S: '', RESPONSES_STATE_KEY: '' });
    const { accountId, rawKey } = await gateway.createKey();
    const client = clientFor(gateway, rawKey, plane.port);
    const kept = await clientFor(gateway, rawKey).responses.create({ model: CLAUDE, input: 'hi' });
    await redis.del(...(await redis.keys(`gateway:kept*{${accountId}}*`)));
    const first = await client.responses.create({ model: CLAUDE, input: 'hi' });
    expect(first).toMatchObject({ store: false });
    expect(await redis.keys(`gateway:kept*{${accountId}}*`)).toEqual([]);
    for (const { id } of [first, kept]) {
      await expect(
        client.responses.create({ model: CLAUDE, previous_response_id: id, input: 'well?' }),
      ).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining('send the whole conversation'),
      });
      await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    }
    const item = { type: 'item_reference' as const, id: kept.output[0]?.id ?? '' };
    await expect(client.responses.create({ model: CHAT, input: [item] })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('a failed response is not stored, and the turn can be retried', async () => {
    const { client, named } = await account();
    const first = await client.responses.create({ model: CHAT, input: 'hi' });
    const before = (await named()).size;
    gateway.provider.script({ status: 500 });
    const again = () =>
      client.responses.create({ model: CHAT, previous_response_id: first.id, input: 'well?' });
    await expect(again()).rejects.toMatchObject({ status: 502 });
    expect((await named()).size).toBe(before);
    expect(await again()).toMatchObject({ status: 'completed' });
  });

  it('a response that was cut at its maximum length is stored', async () => {
    const { client } = await account();
    const first = await client.responses.create({
      model: CHAT,
      input: 'Tell me a story.',
      max_output_tokens: 16,
    });
    expect(first).toMatchObject({ status: 'incomplete', store: true });
    expect(await client.responses.retrieve(first.id)).toMatchObject({ status: 'incomplete' });
  });
});

describe.skipIf(!inject('ownRedis'))('a gateway with a Redis of its own', () => {
  it('a response is stored with one Redis command and read with one, items included', async () => {
    await using server = await startOwnRedis();
    await using gateway = await startGateway({ document: allApis, redisUrl: server.url, environment: STATE });
    const { rawKey } = await gateway.createKey();
    const client = clientFor(gateway, rawKey);
    const ask = (more: object = {}) => client.responses.create({ model: CLAUDE, input: 'hi', ...more });
    // Now it knows the scripts.
    const first = await ask();
    await client.responses.retrieve(first.id);
    const reference = { type: 'item_reference', id: first.output[0]?.id ?? '' };
    using monitor = await monitorRedis(server.port, 0);
    const scripts = async (asked: () => Promise<unknown>) => {
      await monitor.clear();
      await asked();
      // Others look at tombstones and at their counter now and then.
      return (await monitor.commands()).filter((command) => OF_REQUESTS.has(command));
    };
    const limit = 'EVALSHA';
    expect(await scripts(() => ask({ store: false }))).toEqual([limit]);
    expect(await scripts(() => ask())).toEqual([limit, 'EVALSHA']);
    expect(await scripts(() => ask({ previous_response_id: first.id, input: [reference] }))).toEqual([
      'EVALSHA',
      limit,
      'EVALSHA',
    ]);
    expect(await scripts(() => client.responses.retrieve(first.id))).toEqual([limit, 'EVALSHA']);
  });

  it('the parts of a conversation are on one shard of a Redis Cluster', async () => {
    const started = await startRedisCluster();
    if (started === undefined) throw new Error('there was a redis-server a moment ago');
    await using cluster = started;
    await using gateway = await startGateway({
      document: allApis,
      redisUrl: cluster.url,
      environment: STATE,
    });
    for (let account = 0; account < 4; account++) {
      const { rawKey } = await gateway.createKey();
      const client = clientFor(gateway, rawKey);
      const first = await client.responses.create({ model: CLAUDE, input: 'hi' });
      const item = { type: 'item_reference' as const, id: first.output[0]?.id ?? '' };
      const second = await client.responses.create({
        model: CLAUDE,
        previous_response_id: first.id,
        input: [item, { role: 'user', content: 'Go on.' }],
      });
      expect(await client.responses.delete(second.id)).toMatchObject({ deleted: true });
    }
    expect(await counted(gateway, 'keep', 'kept')).toBe(8);
  });

  it('responses go out unstored and reads get 503 while Redis is away, and provider-stored ones go on', async () => {
    await using server = await startOwnRedis();
    await using proxy = await startTcpProxy(server.port, '127.0.0.1');
    const url = `redis://127.0.0.1:${proxy.port}`;
    await using gateway = await startGateway({ document: allApis, redisUrl: url, environment: STATE });
    const { rawKey } = await gateway.createKey();
    const client = clientFor(gateway, rawKey);
    const kept = await client.responses.create({ model: CLAUDE, input: 'My dog is Bello.' });
    const passed = await client.responses.create({ model: RESPONSES, input: 'hi' });
    const goOn = (id: string) =>
      client.responses.create({ model: CLAUDE, previous_response_id: id, input: 'Who?' });

    let unkeptAnswers = 0;
    for (const happening of ['stall', 'cut'] as const) {
      proxy[happening]();
      const unstored = await client.responses.create({ model: CLAUDE, input: 'hi' });
      expect(unstored.status).toBe('completed');
      const stream = await client.responses.create({ model: CHAT, input: 'hi', stream: true });
      const events = await Array.fromAsync(stream);
      expect(events.at(-1)?.type).toBe('response.completed');
      // The end of an answer goes out when it is known what has become of it, and not before.
      unkeptAnswers += 2;
      expect(await counted(gateway, 'keep', 'redis_away')).toBe(unkeptAnswers);
      const away = { status: 503, code: 'overloaded' };
      await expect(goOn(kept.id)).rejects.toMatchObject(away);
      await expect(client.responses.retrieve(kept.id)).rejects.toMatchObject(away);
      await expect(client.responses.delete(kept.id)).rejects.toMatchObject(away);
      expect(await client.responses.retrieve(passed.id)).toMatchObject({ id: passed.id });
      proxy.restore();
      await until(
        () =>
          goOn(kept.id).then(
            () => true,
            () => false,
          ),
        20_000,
      );
      // Commands that were on their way when the connection stalled arrive in the end.
      if (happening === 'cut')
        await expect(client.responses.retrieve(unstored.id)).rejects.toMatchObject({ status: 404 });
    }
    const warnings = gateway.logText().match(/a response was not stored: Redis does not respond/g);
    expect(warnings).toHaveLength(1);
  });
});
