import { modelList, modelStatusList, statusSummary } from '@model-gateway/shared';
import { rememberMinutes, startGateway, type TestGateway, until, untilWithin } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const FRESH_MS = 5_000;

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({
    catalog: true,
    history: (databaseUrl) =>
      rememberMinutes(databaseUrl, [
        { modelId: 'sim/chat-free', agoMs: 45 * MINUTE_MS, requests: 5, failed: 0 },
        { modelId: 'sim/chat-free', agoMs: 42 * MINUTE_MS, requests: 2, failed: 2 },
        { modelId: 'sim/chat-free', agoMs: 40 * MINUTE_MS, requests: 4, failed: 4 },
        { modelId: 'sim/embed-free', agoMs: 4 * DAY_MS, requests: 1, failed: 1 },
        { modelId: 'sim/image-free', agoMs: 30 * MINUTE_MS, requests: 4, failed: 0 },
      ]),
  });
});
afterAll(() => gateway.close());

const get = async (path: string) =>
  await (await fetch(`http://127.0.0.1:${gateway.catalog?.port}${path}`)).json();
const rowOf = async (model: string) =>
  modelStatusList.parse(await get('/v1/status/models')).data.find(({ id }) => id === model);
const minute = (agoMs: number) => Math.floor((Date.now() - agoMs) / MINUTE_MS) * 60;

describe('what was failing when it was last asked', () => {
  it('stays an outage without further requests, even after days', async () => {
    await until(async () => (await rowOf('sim/chat-free'))?.state === 'failed_when_last_asked');
    const chat = await rowOf('sim/chat-free');
    expect(chat).toMatchObject({
      status: 'major_outage',
      state: 'failed_when_last_asked',
      requests_5m: 0,
      success_5m: null,
      uptime_5m: null,
    });
    expect(chat?.sentence).toMatch(
      /^No traffic since (?:\S+ )?\d\d:\d\d UTC, and the last answers failed, from (?:\S+ )?\d\d:\d\d UTC on\.$/,
    );
    expect(Math.abs((chat?.since ?? 0) - minute(42 * MINUTE_MS))).toBeLessThanOrEqual(60);
    expect(Math.abs((chat?.last_request_at ?? 0) - minute(40 * MINUTE_MS))).toBeLessThanOrEqual(60);
    expect(await rowOf('sim/embed-free')).toMatchObject({
      status: 'degraded_performance',
      state: 'failed_when_last_asked',
      success_24h: null,
    });
    const listed = modelList.parse(await get('/v1/models')).data;
    expect(listed.find(({ id }) => id === 'sim/chat-free')?.status).toBe('major_outage');
  });

  it('is named in the sentence of the status, even if its provider only has no traffic', async () => {
    const summary = async () => statusSummary.parse(await get('/v1/status'));
    // A service that gets no time on a busy machine is critical until it does.
    await until(async () => (await summary()).status.indicator === 'minor');
    const { components, status } = await summary();
    expect(components.find(({ id }) => id === 'provider:sim')).toMatchObject({ state: 'no_traffic' });
    expect(status.sentence).toMatch(
      /^sim\/chat-free: no traffic since .*; sim\/embed-free: no traffic since .*\.$/,
    );
  });

  it('is operational again with the first good answer', async () => {
    const { rawKey } = await gateway.createKey();
    const answer = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim/chat-free', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(answer.status).toBe(200);
    await untilWithin(FRESH_MS, async () => (await rowOf('sim/chat-free'))?.state === 'operational');
    expect(await rowOf('sim/chat-free')).toMatchObject({
      status: 'operational',
      since: null,
      sentence: null,
    });
  });
});

describe('a model without traffic', () => {
  it('is that, with since when, and keeps the word that a status page has for it', async () => {
    expect(await rowOf('sim/image-free')).toMatchObject({ status: 'operational', state: 'no_traffic' });
    expect((await rowOf('sim/image-free'))?.sentence).toMatch(/^No traffic since .* UTC\.$/);
    expect(await rowOf('sim/speech-free')).toMatchObject({
      status: 'operational',
      state: 'no_traffic',
      sentence: 'No traffic so far.',
      requests_5m: 0,
    });
  });
});
