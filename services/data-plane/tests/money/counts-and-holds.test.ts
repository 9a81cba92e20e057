import { setTimeout as wait } from 'node:timers/promises';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import {
  addPool,
  modelEntry,
  openBooks,
  postJson,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { expectLedgerAgrees, NANO_PER_USD, payingKey } from './money-fixture.ts';

/** Tokens that the provider counts, and how long it takes. */
let counted = 180_000;
let answerMs = 0;
let running = 0;
let maxRunning = 0;
let asked = 0;

const provider = withStarted(() =>
  startScriptedProvider(async (res) => {
    asked += 1;
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await wait(answerMs);
    running -= 1;
    const usage = { input_tokens: counted, output_tokens: 1 };
    const content = [{ type: 'text', text: 'Hi' }];
    const body = { id: 'm', type: 'message', role: 'assistant', model: 'x', content, usage };
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ ...body, stop_reason: 'end_turn', stop_sequence: null }));
  }),
);
const gateway = withGateway(() => ({ ownPools: true, dataPlanes: 2, controlPlanes: 2, document }));
afterAll(() => expectLedgerAgrees(gateway));

function document(): CatalogDocumentInput {
  const pricing = { input_per_million_usd: '3', output_per_million_usd: '15' };
  const paid = { tier: 'paid', context_length: 200_000, pricing } as const;
  return {
    providers: [{ id: 'acme', name: 'Acme', kind: 'anthropic', base_url: provider.baseUrl }],
    models: [
      modelEntry('acme/chat', { acme: 'chat' }, paid),
      modelEntry('acme/long', { acme: 'chat' }, { ...paid, context_length: 1_000_000 }),
      modelEntry('acme/free', { acme: 'chat' }, { context_length: 200_000 }),
      // An operator who takes a risk.
      modelEntry('acme/small-files', { acme: 'chat' }, { ...paid, tokens_per_file_part: 5_000 }),
    ],
  };
}

const byUrl = { type: 'document', source: { type: 'url', url: 'https://example.com/1.pdf' } };

function ask(rawKey: string, plane: number, model: string, content: unknown = [byUrl]) {
  const messages = [{ role: 'user', content }];
  return postJson(gateway.urlOf(plane), rawKey, 'messages', { model, max_tokens: 5, messages });
}

/** Sends 50 requests at once to two data planes. */
async function attack(rawKey: string, model: string, requests = 50) {
  [asked, maxRunning] = [0, 0];
  const answers = await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const response = await ask(rawKey, index % 2, model);
      return { status: response.status, headers: response.headers, text: await response.text() };
    }),
  );
  return { answers, statuses: answers.map(({ status }) => status) };
}

async function sumsOf(account: string) {
  await using books = openBooks(gateway.databaseUrl);
  const [sums] = await books.query(
    `SELECT count(*)::int AS requests, sum(cost)::bigint AS cost, sum(charged)::bigint AS charged,
       sum(uncollected)::bigint AS uncollected
     FROM usage_records WHERE account_id = $1 AND cost > 0`,
    [account],
  );
  return sums ?? {};
}

it('a prompt beyond twice the context of the catalog is reserved, counted and charged', async () => {
  const { rawKey } = await payingKey(gateway, '10');
  counted = 800_000;
  const response = await ask(rawKey, 0, 'acme/chat', '1,2,'.repeat(240_000));
  expect(response.status, await response.text()).toBe(200);
  const { charged, held, usage_source } = await gateway.recordOf(response);
  expect({ charged, usage_source }).toEqual({ charged: 2_400_015_000n, usage_source: 'provider' });
  expect(Number(held)).toBeGreaterThanOrEqual(Number(charged));
});

describe('a beta that raises the context', () => {
  const BETA = 'context-1m-2025-08-07';
  const withBeta = async (model: string, body: object, headers: Record<string, string>) => {
    const { rawKey } = await payingKey(gateway, '100');
    [asked, counted] = [0, 10];
    const messages = [{ role: 'user', content: 'Hi' }];
    const request = { model, max_tokens: 5, messages, ...body };
    const response = await postJson(gateway.urlOf(0), rawKey, 'messages', request, { headers });
    return { status: response.status, body: await response.text() };
  };
  const sent = { 'anthropic-beta': `claude-code-20250219, ${BETA}` };

  it.each<[string, object, Record<string, string>, string]>([
    ['in the header', {}, sent, 'anthropic-beta'],
    ['in the body', { anthropic_beta: [BETA] }, {}, 'anthropic_beta'],
  ])('is refused %s by a paid model with a shorter context', async (_place, body, headers, param) => {
    const refused = await withBeta('acme/chat', body, headers);
    expect(refused.status, refused.body).toBe(400);
    expect(JSON.parse(refused.body)).toMatchObject({ error: { code: 'invalid_request', param } });
    expect(refused.body).toContain('set context_length of the model to at least 1000000');
    expect(asked).toBe(0);
  });

  it.each(['acme/long', 'acme/free'])('passes to %s as sent', async (model) => {
    const answered = await withBeta(model, {}, sent);
    expect(answered.status, answered.body).toBe(200);
    expect(provider.received.at(-1)?.headers['anthropic-beta']).toBe(sent['anthropic-beta']);
  });
});

it('documents by URL, 50 at once at two data planes, cost no more than the pool has', async () => {
  const { account, rawKey } = await payingKey(gateway, '1');
  counted = 180_000;
  const { statuses } = await attack(rawKey, 'acme/chat');
  expect(new Set(statuses)).toEqual(new Set([200, 402]));
  await until(async () => Number((await sumsOf(account)).requests) === asked);
  const { cost, uncollected } = await sumsOf(account);
  expect(Number(cost)).toBeLessThanOrEqual(Number(NANO_PER_USD));
  expect(Number(uncollected)).toBe(0);
});

/** Has a request cost 0.44 USD more than the pool of its account. */
async function keyWithUncollected() {
  const key = await payingKey(gateway, '0.1');
  counted = 180_000;
  const first = await ask(key.rawKey, 0, 'acme/small-files');
  expect(first.status, await first.text()).toBe(200);
  await until(async () => Number((await sumsOf(key.account)).uncollected) > 0);
  return key;
}

it('an account with uncollected money gets one request at a time, whatever it sends to two data planes', async () => {
  const { account, rawKey } = await keyWithUncollected();
  await addPool(gateway.admin, { kind: 'account', id: account }, '0.3');
  answerMs = 300;
  const { answers, statuses } = await attack(rawKey, 'acme/small-files');
  expect({ asked, maxRunning }).toEqual({ asked: 1, maxRunning: 1 });
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 402)).toHaveLength(49);
  const [refused] = answers.filter(({ status }) => status === 402);
  expect(refused?.text).toContain('requests run one at a time');
  await until(async () => Number((await sumsOf(account)).requests) === 2);
  // One request beyond the pools, of which the second had 0.3 USD.
  expect(Number((await sumsOf(account)).charged)).toBe(400_000_000);
});

it('an account with uncollected money gets one request after the other, and all at once when its pools have that much', async () => {
  const { account, rawKey } = await keyWithUncollected();
  await addPool(gateway.admin, { kind: 'account', id: account }, '0.3');
  [counted, answerMs] = [10, 50];
  const slow = await attack(rawKey, 'acme/small-files', 6);
  expect({ maxRunning, statuses: new Set(slow.statuses) }).toEqual({
    maxRunning: 1,
    statuses: new Set([200]),
  });

  await addPool(gateway.admin, { kind: 'account', id: account }, '0.5');
  answerMs = 300;
  const { statuses } = await attack(rawKey, 'acme/small-files', 12);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(maxRunning).toBeGreaterThan(2);
});
