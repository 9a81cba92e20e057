import { metricOf, startGateway, startOwnRedis, watchLag } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { CHAT } from '../endpoints/both-apis.ts';
import { openSocket, refusedUpgrade, type TestSocket, textOf } from './socket-client.ts';

const SOCKETS = 200;
const TURNS = 5;
const MAX_OF_KEY = 256;
const MAX_OF_ACCOUNT = 1_000;

it(`${SOCKETS} WebSockets on one data plane hold their conversations at once, each with its own`, async () => {
  await using redis = await startOwnRedis();
  await using gateway = await startGateway({ redisUrl: redis.url });
  const [plane] = gateway.dataPlanes;
  const keys = await Promise.all(Array.from({ length: 4 }, () => gateway.createKey()));
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, (_, index) =>
      openSocket(gateway.baseUrl, keys[index % keys.length]?.rawKey ?? ''),
    ),
  );
  expect(await metricOf(plane, 'gateway_open_websockets')).toBe(SOCKETS);
  expect(await metricOf(plane, 'gateway_open_requests')).toBe(0);
  const converse = async (socket: TestSocket, name: string) => {
    let previous: string | undefined;
    for (let turn = 0; turn < TURNS; turn++) {
      socket.create({
        model: CHAT,
        store: false,
        input: `${name} turn ${turn}.`,
        ...(previous === undefined ? {} : { previous_response_id: previous }),
      });
      const frames = await socket.response();
      expect(frames.at(-1)?.type).toBe('response.completed');
      expect(textOf(frames)).not.toBe('');
      previous = frames.at(-1)?.response?.id;
    }
  };
  const beginAtMs = performance.now();
  await Promise.all(sockets.map((socket, index) => converse(socket, `Socket ${index}`)));
  const ms = performance.now() - beginAtMs;
  process.stdout.write(`${SOCKETS * TURNS} responses over ${SOCKETS} WebSockets: ${Math.round(ms)} ms\n`);
  const lasts = gateway.provider.requests.filter(({ bodyText }) => bodyText.includes(`turn ${TURNS - 1}.`));
  expect(lasts).toHaveLength(SOCKETS);
  for (const { bodyText } of lasts) {
    const names = new Set(bodyText.match(/Socket \d+/g));
    expect(names.size).toBe(1);
    for (let turn = 0; turn < TURNS; turn++) expect(bodyText).toContain(`turn ${turn}.`);
  }
  expect(await metricOf(plane, 'gateway_websocket_remembered_bytes')).toBeGreaterThan(0);

  using lag = watchLag();
  const revokedAtMs = performance.now();
  await gateway.revokeKey(keys[0]?.id ?? '');
  const revoked = await Promise.all(
    sockets.filter((_, index) => index % 4 === 0).map(({ closed }) => closed),
  );
  for (const { atMs, code } of revoked) {
    expect(code).toBe(1008);
    expect(atMs - revokedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
  }
  expect(sockets.filter(({ ws }) => ws.readyState === ws.OPEN)).toHaveLength(SOCKETS * (3 / 4));
  for (const { ws } of sockets) ws.terminate();
  await expect.poll(() => metricOf(plane, 'gateway_open_websockets')).toBe(0);
  await expect.poll(() => metricOf(plane, 'gateway_websocket_remembered_bytes')).toBe(0);
});

it(`an account has at most ${MAX_OF_ACCOUNT} WebSockets on a data plane`, async () => {
  await using gateway = await startGateway();
  const other = await gateway.createKey(await gateway.createAccount());
  const account = await gateway.createAccount();
  const keys = await Promise.all(Array.from({ length: 5 }, () => gateway.createKey(account)));
  const sockets: TestSocket[] = [];
  for (const { rawKey } of keys.slice(0, 4))
    sockets.push(
      ...(await Promise.all(
        Array.from({ length: MAX_OF_ACCOUNT / 4 }, () => openSocket(gateway.baseUrl, rawKey)),
      )),
    );
  const refused = await refusedUpgrade(gateway.baseUrl, { authorization: `Bearer ${keys[4]?.rawKey}` });
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.body).error.message).toMatch(/^This account/);
  await using another = await openSocket(gateway.baseUrl, other.rawKey);
  expect((await another.ask({ model: CHAT, input: 'Hi' })).type).toBe('response.completed');
  for (const { ws } of sockets) ws.terminate();
});

it(`a key has at most ${MAX_OF_KEY} WebSockets on a data plane, and others are not affected`, async () => {
  await using gateway = await startGateway();
  const [one, other] = [await gateway.createKey(), await gateway.createKey()];
  const sockets = await Promise.all(
    Array.from({ length: MAX_OF_KEY }, () => openSocket(gateway.baseUrl, one.rawKey)),
  );
  const refused = await refusedUpgrade(gateway.baseUrl, { authorization: `Bearer ${one.rawKey}` });
  expect(refused.status).toBe(429);
  expect(JSON.parse(refused.body).error).toMatchObject({ code: 'concurrent_streams_exceeded' });
  await using another = await openSocket(gateway.baseUrl, other.rawKey);
  expect((await another.ask({ model: CHAT, input: 'Hi' })).type).toBe('response.completed');
  for (const { ws } of sockets) ws.terminate();
  await expect
    .poll(async () => {
      const again = await openSocket(gateway.baseUrl, one.rawKey).catch(() => undefined);
      again?.ws.terminate();
      return again !== undefined;
    })
    .toBe(true);
});

it('a client that reads nothing holds little memory, and loses its connection', async () => {
  await using gateway = await startGateway({
    overrides: { streamTimings: { clientStallMs: 1_000 } },
  });
  const { rawKey } = await gateway.createKey();
  const socket = await openSocket(gateway.baseUrl, rawKey);
  gateway.provider.script({ content: `${'x'.repeat(1_000)} `.repeat(40_000) });
  socket.create({ model: CHAT, input: 'Hi' });
  while ((await socket.next()).type !== 'response.output_text.delta');
  socket.ws.pause();
  const before = process.memoryUsage().rss;
  await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_open_websockets')).toBe(0);
  expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  const ended = await gateway.provider.requests[0]?.closed;
  expect(ended?.reason).toBe('client_closed');
  socket.ws.terminate();
});
