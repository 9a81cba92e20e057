import type { PriceListDetailsMessage } from '@model-gateway/contracts';
import { addPool, until, withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

const CALL_MS = 10_000;
const MODEL = 'sim/chat-pro';
/** Of the simulated catalog. */
const INPUT_USD = 1;

const gateway = withGateway({ ownPools: true, catalog: true });
afterAll(() => expectLedgerAgrees(gateway));

const details = z.object({
  id: z.string(),
  version: z.object({ number: z.int() }),
});

function read({ listJson }: PriceListDetailsMessage) {
  const { id, version } = details.parse(JSON.parse(listJson));
  return { id, number: version.number };
}

const terms = (factor: string, validFromMs?: number) => ({
  termsJson: JSON.stringify({ factor }),
  ...(validFromMs !== undefined && { validFromMs }),
});

async function createList(factor: string, isDefault = false) {
  const request = { name: `times ${factor}`, isDefault, version: terms(factor) };
  return read(await gateway.admin.callOnce(CALL_MS, 'catalog', 'createPriceList', request));
}

async function addVersion(id: string, factor: string, validFromMs?: number): Promise<number> {
  const request = { id, version: terms(factor, validFromMs) };
  return read(await gateway.admin.callOnce(CALL_MS, 'catalog', 'addPriceListVersion', request)).number;
}

function assign(account: string, priceListId: string) {
  return gateway.admin.call(CALL_MS, 'accounts', 'changeAccount', { account, priceListId });
}

/** Creates a key of a new account that is charged by a new list. */
async function customer(factor: string, ...amountsUsd: string[]) {
  const [list, key] = await Promise.all([createList(factor), payingKey(gateway, ...amountsUsd)]);
  await assign(key.account, list.id);
  return { ...key, list };
}

const models = z.object({
  data: z.array(z.looseObject({ id: z.string(), pricing: z.record(z.string(), z.string()) })),
});

async function shownTo(rawKey?: string) {
  const headers: Record<string, string> = rawKey === undefined ? {} : { authorization: `Bearer ${rawKey}` };
  const response = await fetch(`${gateway.baseUrl}/v1/models`, { headers });
  const { data } = models.parse(await response.json());
  const pricing = data.find(({ id }) => id === MODEL)?.pricing;
  return { input: pricing?.input_per_million_usd, etag: response.headers.get('etag'), response };
}

const shows = (input: string, rawKey?: string) => until(async () => (await shownTo(rawKey)).input === input);

const chat = (key: string, more: object = {}) =>
  gateway.ask(
    'chat/completions',
    { model: MODEL, messages: [{ role: 'user', content: 'hi' }], max_tokens: 10, ...more },
    { key },
  );

const settled = z.object({
  charged: z.bigint(),
  provider_cost: z.bigint().nullable(),
  price_list_version: z.int().nullable(),
});

async function recordOf(answer: { headers: Headers; status?: number }) {
  return settled.parse(await gateway.recordOf(answer));
}

let customers: Awaited<ReturnType<typeof customer>>[];
beforeAll(async () => {
  customers = await Promise.all([customer('2', '1.00'), customer('2.5', '1.00'), customer('2', '0.40')]);
});

function customerAt(index: number) {
  const found = customers[index];
  if (found === undefined) throw new Error('there are fewer customers');
  return found;
}

it('a running stream keeps its price when the list changes, and the next request has the new one', async () => {
  const { list, rawKey } = customerAt(0);
  const body = {
    ...{ model: MODEL, stream: true, max_tokens: 30, simulate: { token_delay_ms: 250 } },
    messages: [{ role: 'user', content: 'hi' }],
  };
  const stream = await gateway.post('chat/completions', body, { key: rawKey });
  const ended = stream.text().then(() => performance.now());
  const second = await addVersion(list.id, '3');
  await shows(String(3 * INPUT_USD), rawKey);
  const changed = performance.now();
  // It was still running when data planes had the new version.
  expect(await ended).toBeGreaterThan(changed);
  const before = await recordOf(stream);
  expect(before).toMatchObject({
    price_list_version: list.number,
    charged: 2n * (before.provider_cost ?? 0n),
  });
  expect(before.charged).toBeGreaterThan(0n);
  const after = await recordOf(await chat(rawKey));
  expect(after).toMatchObject({ price_list_version: second, charged: 3n * (after.provider_cost ?? 0n) });

  const from = Date.now() + 5_000;
  const third = await addVersion(list.id, '7', from);
  expect((await recordOf(await chat(rawKey))).price_list_version).toBe(second);
  await shows(String(7 * INPUT_USD), rawKey);
  expect(Date.now()).toBeGreaterThanOrEqual(from);
  const later = await recordOf(await chat(rawKey));
  expect(later).toMatchObject({ price_list_version: third, charged: 7n * (later.provider_cost ?? 0n) });
});

it('holders see their prices alone, in GET /v1/models and on receipts', async () => {
  const { rawKey } = customerAt(1);
  const [own, everybody] = [await shownTo(rawKey), await shownTo()];
  expect(own.input).toBe('2.5');
  expect(Number(everybody.input)).toBe(INPUT_USD);
  expect(own.etag).not.toBe(everybody.etag);
  expect(own.response.headers.get('cache-control')).toContain('private');
  const one = await fetch(`${gateway.baseUrl}/v1/models/${MODEL}`, {
    headers: { authorization: `Bearer ${rawKey}` },
  });
  expect(await one.json()).toMatchObject({ pricing: { output_per_million_usd: '5' } });
  const answer = await chat(rawKey);
  const record = await recordOf(answer);
  const response = await fetch(`${gateway.baseUrl}/v1/usage/requests/${answer.headers.get('x-request-id')}`, {
    headers: { authorization: `Bearer ${rawKey}` },
  });
  const receipt = await response.text();
  expect(JSON.parse(receipt)).toMatchObject({
    pricing: { input_per_million_usd: '2.5', output_per_million_usd: '5' },
  });
  expect(receipt).not.toMatch(/price_list|provider_cost/);
  const requestId = answer.headers.get('x-request-id') ?? '';
  expect(await gateway.admin.call(CALL_MS, 'billing', 'getReceipt', { requestId })).toMatchObject({
    priceListVersion: record.price_list_version,
    pricing: { input_per_million_usd: '2.5' },
  });
});

it('with a factor of 2, a pool covers exactly half as many requests', async () => {
  const { rawKey } = customerAt(2);
  const { rawKey: atCost } = await payingKey(gateway, '0.40');
  const served = async (key: string) => {
    for (let count = 0; ; count++) {
      const body = { model: 'sim/image-pro', prompt: 'a lighthouse', n: 1 };
      const { status } = await gateway.ask('images/generations', body, { key });
      if (status !== 200) {
        expect(status).toBe(402);
        return count;
      }
    }
  };
  expect(await served(atCost)).toBe(10);
  expect(await served(rawKey)).toBe(5);
});

it('a seat is charged by the list of the account that owns the team', async () => {
  const { account, list } = customerAt(1);
  const holder = customerAt(0);
  const team = await gateway.admin.call(CALL_MS, 'teams', 'createTeam', { account, name: 'Team' });
  const seat = await gateway.admin.call(CALL_MS, 'teams', 'addSeat', {
    teamId: team.id,
    account: holder.account,
  });
  await addPool(gateway.admin, { kind: 'team', id: team.id }, '1.00');
  const key = { account: holder.account, name: 'on a seat', seatId: seat.id };
  const { rawKey } = await gateway.admin.call(CALL_MS, 'accounts', 'createKey', key);
  expect((await recordOf(await chat(rawKey))).price_list_version).toBe(list.number);
});

it('accounts without a list are charged by the default one, or at cost', async () => {
  const { rawKey } = await payingKey(gateway, '1.00');
  expect(await recordOf(await chat(rawKey))).toMatchObject({ price_list_version: null, provider_cost: null });
  const list = await createList('1.000001', true);
  await shows('1.000001');
  const record = await recordOf(await chat(rawKey));
  expect(record.price_list_version).toBe(list.number);
  expect(record.charged).toBeGreaterThan(record.provider_cost ?? 0n);
  await gateway.admin.call(CALL_MS, 'catalog', 'changePriceList', { id: list.id, isDefault: false });
  await until(async () => Number((await shownTo()).input) === INPUT_USD);
  expect(await recordOf(await chat(rawKey))).toMatchObject({ price_list_version: null });
});
