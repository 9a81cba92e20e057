import { until, withGateway } from '@model-gateway/test-kit';
import type OpenAI from 'openai';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createBodyBudget } from '../../src/memory/body-budget.ts';
import { allApis } from '../endpoints/all-apis.ts';
import { CLAUDE } from '../endpoints/both-apis.ts';
import { openAiOf } from '../endpoints/official-clients.ts';
import { STATE } from './storage-settings.ts';

const redisUrl = inject('redis')?.url ?? '';
const MEBIBYTE = 1024 * 1024;
const ROOM = 6 * MEBIBYTE;

/** A budget in which few large bodies have room. */
const bodyBudget = createBodyBudget({
  totalBytes: ROOM,
  keyBytes: ROOM,
  accountBytes: ROOM,
  reserveBytes: MEBIBYTE,
  smallBytes: 64 * 1024,
  maxWaitMs: 100,
  maxWaitingOfKey: 10,
});

describe.skipIf(redisUrl === '')('the memory for stored responses', () => {
  let client: OpenAI;
  const gateway = withGateway({
    document: allApis,
    redisUrl,
    environment: STATE,
    overrides: { bodyBudget },
  });
  beforeAll(async () => {
    const { rawKey } = await gateway.createKey();
    client = openAiOf(gateway, rawKey);
  });

  const ask = (bytes: number, more: object = {}) =>
    client.responses.create({ model: CLAUDE, input: 'So it goes. '.repeat(bytes / 12), ...more });

  it('a response goes out unstored when the memory budget has no room for it', async () => {
    expect(await ask(1.2 * MEBIBYTE)).toMatchObject({ store: true });
    expect(await ask(3.5 * MEBIBYTE)).toMatchObject({ store: false, status: 'completed' });
    expect(gateway.logText()).toContain('a response was not stored: this process has no memory for it');
    await until(() => bodyBudget.usedBytes === 0);
  });

  it('a continued conversation gets 503 when the memory budget has no room, and works later', async () => {
    const { id } = await ask(1.2 * MEBIBYTE);
    await until(() => bodyBudget.usedBytes === 0);
    const goOn = () => ask(12, { previous_response_id: id });
    const claim = bodyBudget.open({ keyId: 'key_other', accountId: 'acct_other' });
    expect(claim.tryTake(ROOM)).toBe(true);
    await expect(goOn()).rejects.toMatchObject({ status: 503, code: 'overloaded' });
    claim.giveBack();
    expect(await goOn()).toMatchObject({ status: 'completed' });
    await until(() => bodyBudget.usedBytes === 0);
  });

  it('a client that leaves gives the memory of its conversation back', async () => {
    const { id } = await ask(1.2 * MEBIBYTE);
    gateway.provider.script({ delay_ms: 60_000 });
    const stop = new AbortController();
    const left = client.responses.create(
      { model: CLAUDE, previous_response_id: id, input: 'Go on.' },
      { signal: stop.signal },
    );
    await gateway.provider.waitForRequest(({ bodyText }) => bodyText.includes('Go on.'));
    expect(bodyBudget.usedBytes).toBeGreaterThan(MEBIBYTE);
    stop.abort();
    await expect(left).rejects.toThrow();
    await until(() => bodyBudget.usedBytes === 0);
  });
});
