import { inflateSync } from 'node:zlib';
import { chatBody, postJson, until } from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { statementResponse } from '../wire/statements.ts';
import { teamsResponse } from '../wire/teams.ts';
import { type Browser, createKey, newAddress, refusal, signedUp, withServer } from './server-fixture.ts';

const site = withServer({ ownPools: true }, (gateway) => ({
  API_BASE_URL: gateway.baseUrl,
  PRODUCT_NAME: 'Acme Models',
}));
const MONTH = new Date().toISOString().slice(0, 7);
let holder: Browser;
let email: string;

beforeAll(async () => {
  email = newAddress();
  holder = await signedUp(site.server, email);
  await site.gateway.admin.call(5_000, 'pools', 'addPool', {
    owner: { kind: 'account', id: email },
    name: 'Ten',
    includedUsd: '10',
    resets: 'never',
  });
  const { rawKey } = await createKey(holder, '=Laptop');
  for (const model of ['sim/chat-pro', 'sim/chat-pro', 'sim/chat-free']) {
    const response = await postJson(site.gateway.baseUrl, rawKey, 'chat/completions', chatBody({ model }));
    expect(response.status, await response.text()).toBe(200);
  }
  await until(async () => {
    const { accountPools } = teamsResponse.parse(await holder.json('/api/teams'));
    const { models } = await statement();
    const requests = models.reduce((sum, each) => sum + each.requests, 0);
    return requests === 3 && accountPools.every(({ heldUsd }) => Number(heldUsd) === 0);
  });
});

async function statement() {
  return statementResponse.strict().parse(await holder.json(`/api/statements?month=${MONTH}`));
}

const nano = (usd: string) => BigInt(usd.replace('.', ''));
const sum = (lines: readonly { amountUsd: string }[]) =>
  lines.reduce((total, { amountUsd }) => total + nano(amountUsd), 0n);

describe('a statement of the dashboard', () => {
  it('adds up to what the pools have left, which the ledger confirms', async () => {
    const given = await statement();
    expect(given).toMatchObject({ email, month: MONTH, isComplete: false, openingUsd: '0.000000000' });
    expect(given.credits).toEqual([{ name: 'Credit added', amountUsd: '10.000000000' }]);
    expect(nano(given.spentUsd)).toBeGreaterThan(0n);
    expect(10_000_000_000n - nano(given.spentUsd)).toBe(nano(given.closingUsd));
    for (const lines of [given.models, given.keys]) expect(sum(lines)).toBe(nano(given.spentUsd));
    const { accountPools } = teamsResponse.parse(await holder.json('/api/teams'));
    expect(accountPools.map(({ leftUsd }) => leftUsd)).toEqual([given.closingUsd]);
    const { disagreements } = await site.gateway.admin.call(30_000, 'pools', 'verifyLedger', {});
    expect(disagreements).toEqual([]);
  });

  it('is a CSV file with the same figures, and no formula', async () => {
    const given = await statement();
    const response = await holder.fetch(`/api/statements.csv?month=${MONTH}`);
    expect(response.headers.get('content-disposition')).toContain(`statement-${MONTH}.csv`);
    const [header, ...rows] = (await response.text()).trim().split('\r\n');
    expect(header).toBe('section,name,team,id,requests,amount_usd');
    expect(rows).toContain(`spent,Spent,,,,-${given.spentUsd}`);
    expect(rows).toContain(`closing,Balance now,,,,${given.closingUsd}`);
    expect(rows.find((row) => row.startsWith('spent_by_key'))).toMatch(
      new RegExp(`^spent_by_key,'=Laptop,,key_\\w+,3,${given.spentUsd}$`),
    );
    expect(rows).toContain(`spent_by_model,sim/chat-pro,,sim/chat-pro,2,${given.spentUsd}`);
  });

  it('is a PDF file with the same figures and the name of the product', async () => {
    const given = await statement();
    const response = await holder.fetch(`/api/statements.pdf?month=${MONTH}`);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const pdf = Buffer.from(await response.arrayBuffer());
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    const texts = textsIn(pdf);
    for (const text of [
      'Acme Models',
      `Statement ${MONTH} (UTC)`,
      '=Laptop',
      'sim/chat-pro',
      given.closingUsd,
    ])
      expect(texts).toContain(text);
    expect(texts).toContain(`-${given.spentUsd}`);
  });

  it('counts limited pools, and says where a balance is unlimited', async () => {
    const address = newAddress();
    const other = await signedUp(site.server, address);
    const add = (amount: { includedUsd: string } | { unlimited: true }) =>
      site.gateway.admin.call(5_000, 'pools', 'addPool', {
        owner: { kind: 'account', id: address },
        name: 'More',
        resets: 'never',
        ...amount,
      });
    const rows = async () =>
      (await (await other.fetch(`/api/statements.csv?month=${MONTH}`)).text()).split('\r\n');
    await add({ unlimited: true });
    expect(await rows()).toContain('closing,Balance now: unlimited,,,,');
    const pdf = await other.fetch(`/api/statements.pdf?month=${MONTH}`);
    expect(textsIn(Buffer.from(await pdf.arrayBuffer()))).toContain('unlimited');
    await add({ includedUsd: '2' });
    expect(await rows()).toContain('closing,"Balance now, besides unlimited pools",,,,2.000000000');
    const { rawKey } = await createKey(other, 'Phone');
    await until(async () => {
      await postJson(site.gateway.baseUrl, rawKey, 'chat/completions', chatBody({ model: 'sim/chat-pro' }));
      return (await rows()).some((row) => row.startsWith('spent,Spent,,,,-0.'));
    });
  });

  it('needs a month that has begun', async () => {
    for (const path of [
      '/api/statements',
      '/api/statements.csv?month=2026-00',
      '/api/statements.pdf?month=2090-01',
    ])
      expect(await refusal(await holder.fetch(path))).toEqual([400, 'invalid_request']);
  });
});

/** Returns the texts that a PDF shows: hexadecimal strings, cut where letters are moved together. */
function textsIn(pdf: Buffer): string[] {
  const source = pdf.toString('latin1');
  const streams = [...source.matchAll(/stream\n([\s\S]*?)\nendstream/g)].map(([, data = '']) => {
    try {
      return inflateSync(Buffer.from(data, 'latin1')).toString('latin1');
    } catch {
      return '';
    }
  });
  return streams.flatMap((stream) =>
    [...stream.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts = '']) =>
      [...parts.matchAll(/<([0-9a-f]*)>/g)]
        .map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1'))
        .join(''),
    ),
  );
}
