import { describe, expect, it } from 'vitest';
import { keyContextFromMessage } from '../keys/key-context.ts';
import type { RequestRecord } from '../request-record.ts';
import { RefusalTally } from './refusal-tally.ts';

const limits = { freePerMinute: 1, paidPerMinute: 1, readsPerMinute: 1, concurrentStreams: 1 };
const keyOf = (keyId: string) => keyContextFromMessage({ keyId, accountId: 'acct_1', payer: [], limits });
const TOO_MANY = { code: 'rate_limit_exceeded', status: 429 } as const;
const NO_MONEY = { code: 'insufficient_balance', status: 402 } as const;

type Counted = Parameters<RefusalTally['count']>[0];
function refused(keyId: string, modelId?: string): Counted {
  const model = modelId === undefined ? undefined : ({ id: modelId } as RequestRecord['model']);
  return { key: keyOf(keyId), route: '/v1/chat/completions', ...(model && { model }) };
}

function tallyWith(bounds?: ConstructorParameters<typeof RefusalTally>[1]) {
  let unlisted = 0;
  const tally = new RefusalTally(() => {
    unlisted += 1;
  }, bounds);
  return { tally, unlisted: () => unlisted };
}

describe('the tally of refused requests', () => {
  it('has one entry for a flood of equal refusals', () => {
    const { tally, unlisted } = tallyWith();
    const record = refused('key_a', 'sim/chat');
    for (let sent = 0; sent < 100_000; sent++) tally.count(record, TOO_MANY);
    const [entry, ...others] = tally.take();
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ modelId: 'sim/chat', capability: 'chat', status: 429, count: 100_000 });
    expect(unlisted()).toBe(0);
    expect(tally.isEmpty).toBe(true);
  });

  it('counts keys, models and error codes separately', () => {
    const { tally } = tallyWith();
    for (const [record, error] of [
      [refused('key_a', 'sim/chat'), TOO_MANY],
      [refused('key_a', 'sim/chat'), NO_MONEY],
      [refused('key_a', 'sim/other'), TOO_MANY],
      [refused('key_b', 'sim/chat'), TOO_MANY],
      [refused('key_b'), TOO_MANY],
    ] as const) {
      tally.count(record, error);
      tally.count(record, error);
    }
    const entries = tally.take();
    expect(entries).toHaveLength(5);
    expect(entries.every(({ count }) => count === 2)).toBe(true);
    expect(tally.take()).toEqual([]);
  });

  it('stays within its bounds per key and in total, and counts what it leaves out', () => {
    const { tally, unlisted } = tallyWith({ maxEntries: 6, maxEntriesPerKey: 4 });
    for (const keyId of ['key_a', 'key_b', 'key_c']) {
      for (let model = 0; model < 10; model++) tally.count(refused(keyId, `sim/${model}`), TOO_MANY);
    }
    expect(tally.take().map(({ key }) => key.keyId)).toEqual([
      ...Array<string>(4).fill('key_a'),
      ...Array<string>(2).fill('key_b'),
    ]);
    expect(unlisted()).toBe(24);
    // Now there is room again.
    expect(tally.count(refused('key_c', 'sim/1'), TOO_MANY)).toBe(true);
  });

  it('lists a request that reached a fallback under the fallback model', () => {
    const { tally } = tallyWith();
    const { model: servingModel } = refused('key_a', 'sim/fallback');
    tally.count({ ...refused('key_a', 'sim/chat'), ...(servingModel && { servingModel }) }, TOO_MANY);
    expect(tally.take().map(({ modelId }) => modelId)).toEqual(['sim/fallback']);
  });

  it('leaves out requests without a known key, served requests, and requests for no model', () => {
    const { tally } = tallyWith();
    const { key: _key, ...unknown } = refused('key_a');
    tally.count(unknown, TOO_MANY);
    tally.count(refused('key_a'), { code: 'invalid_api_key', status: 401 });
    tally.count({ ...refused('key_a'), isServed: true }, { code: 'upstream_error', status: 502 });
    tally.count({ ...refused('key_a'), route: '/v1/usage' }, TOO_MANY);
    expect(tally.isEmpty).toBe(true);
  });
});
