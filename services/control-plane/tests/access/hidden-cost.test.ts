import { callerMetadata, gatewayProto } from '@model-gateway/contracts';
import { newRequestId } from '@model-gateway/shared';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeAll, describe, expect, it } from 'vitest';
import { type HolderRpc, RPC_ACCESS } from '../../src/access/rpc-access.ts';
import { TestAllowance } from '../fixtures/allowances-fixture.ts';
import { addModel } from '../fixtures/catalog-fixture.ts';
import { at, INTERNAL_TOKEN, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { subscribe } from '../fixtures/events-fixture.ts';
import { manage } from '../fixtures/management-fixture.ts';
import { poolsOf } from '../fixtures/pools-fixture.ts';
import { roleCases } from '../fixtures/role-cases.ts';
import { objectsOf, type StaffedAccount, signInWith, staffedAccount } from '../fixtures/roles-fixture.ts';
import { routeCases } from '../fixtures/route-cases.ts';

const control = useControlPlanes();
const api = manage(control);
const requestId = newRequestId();
let own: StaffedAccount;
let auditor: string;
let keyId: string;

/** Cost at a catalog price of $0.987654321, and the charge by a list with the factor 1.37. */
const CHARGED = '1.522222208';
const HIDDEN = {
  catalogPrice: '0.987654321',
  cost: '1.111111101',
  margin: '0.411111107',
  attemptsCost: '0.424242424',
  costOfSums: '1.535353525',
  marginOfSums: '-0.013131317',
  priceListVersion: '471147',
  attemptsTokens: '424243',
  providerRequest: 'req-of-the-provider',
};
const nano = (usd: string) => usd.replace(/^(-?)0?\./, '$1').replace('.', '');
/** Members that only operators get, in any spelling, with a value. */
const NAME =
  /"(provider_?cost|margin|attempts_?cost|price_?list_?version|estimated_?(units|cost)|provider_?request_?id|charged_?usd)\w*":(?!null)/i;
const VALUE = new RegExp(
  Object.values(HIDDEN)
    .flatMap((value) => (value.includes('.') ? [value, nano(value)] : [value]))
    .map((value) => value.replaceAll('.', '\\.'))
    .join('|'),
);

beforeAll(async () => {
  own = await staffedAccount(control);
  auditor = await signInWith(control, 'auditor@example.com');
  await control.admin('members', 'grantRole', { email: 'auditor@example.com', role: 'auditor' });
  await addModel(control, 'sim/sold');
  await control.sql`INSERT INTO model_prices (model_id, version, pricing)
    VALUES ('sim/sold', 7, ${JSON.stringify({ input_per_million_usd: HIDDEN.catalogPrice })}::jsonb)`;
  await control.sql`INSERT INTO price_list_versions (number, valid_from, terms)
    VALUES (${Number(HIDDEN.priceListVersion)}, now(), '{"factor": "1.37"}')`;
  await poolsOf(control).add({ kind: 'account', id: own.id }, { includedUsd: '100.00' });
  const allowance = new TestAllowance(control, own.id);
  await allowance.acquire({ needs: [50_000_000_000] });
  keyId = await objectsOf(control, own).key();
  await settleRows(control.query, [
    usageRow({
      ...{ requestId, accountId: own.id, keyId, allowanceId: allowance.id },
      ...{ modelId: 'sim/sold', priceVersion: 7, priceListVersion: Number(HIDDEN.priceListVersion) },
      ...{ cost: nano(CHARGED), providerCost: nano(HIDDEN.cost), attemptsCost: nano(HIDDEN.attemptsCost) },
      ...{ tags: { project: 'alpha' }, endUser: 'customer-1', session: 's-1' },
      parts: [
        {
          ...{ modelId: 'sim/sold', priceVersion: 7, units: { inputTokens: 10 }, unpriced: [] },
          ...{ cost: nano(CHARGED), providerCost: nano(HIDDEN.cost) },
        },
      ],
      attempts: [
        {
          ...{ providerId: 'sim', httpStatus: null, errorCode: 'upstream_timeout', durationMs: 9 },
          estimatedUnits: { inputTokens: Number(HIDDEN.attemptsTokens) } as never,
          estimatedCost: nano(HIDDEN.attemptsCost),
          providerRequestId: HIDDEN.providerRequest,
        },
        { providerId: 'sim', httpStatus: 200, errorCode: null, durationMs: 12 },
      ],
    }),
  ]);
  // A data plane that acknowledges nothing would delay each change of a key.
  await control.sql`DELETE FROM key_watchers WHERE instance_id = ${allowance.instanceId}`;
});

const USAGE = { startTime: 0, endTime: Math.ceil(Date.now() / 1_000) + 600, bucketWidth: 0, limit: 9 };
const PERIOD = { startMs: 0, endMs: Date.now() + 600_000, limit: 9, labels: [], withRefused: false };

function callAs(rpc: HolderRpc, signInId: string, request: object): Promise<string> {
  const { path, requestSerialize, responseDeserialize } = gatewayProto.DashboardService.service[rpc];
  const metadata = callerMetadata(INTERNAL_TOKEN);
  const user = { accountId: own.id, signInId, email: 'p@example.com', clientIp: '192.0.2.7', requestId: 'r' };
  metadata.set('signed-in-user-bin', gatewayProto.SignedInUser.serialize(user));
  return new Promise((resolve) => {
    at(control.callers, 0).stubs.admin.makeUnaryRequest(
      ...([path, requestSerialize, responseDeserialize, request, metadata] as const),
      (error, response) => resolve(error === null ? JSON.stringify(response) : `failed: ${error.details}`),
    );
  });
}

const expectNoCost = (text: string) => {
  expect(text).not.toMatch(NAME);
  expect(text).not.toMatch(VALUE);
};

describe('the cost at the provider is not shown', () => {
  const routes = Object.entries(routeCases(control));
  // Reads first: changes may end the account.
  const sorted = [
    ...routes.filter(([name]) => name.startsWith('GET')),
    ...routes.filter(([name]) => !/^GET|accounts\/:id(\/suspend)?$/.test(name)),
  ];
  it('by any route, to an admin key that is bound to the account', async () => {
    const { key } = await api.insertKey({ accountId: own.id });
    const webhook = await subscribe(control, ['request.settled'], own.id);
    const named = [
      `/admin/v1/receipts/${requestId}`,
      '/admin/v1/usage?group_by=model,key,tag:project,end_user',
      '/admin/v1/usage?bucket_width=1h&group_by=model',
      `/admin/v1/webhooks/${webhook}/events`,
    ].map((path) => ['GET', path, undefined] as const);
    const asked: (readonly [string, string, object | undefined])[] = [];
    for (const [name, { asks, filters = [] }] of sorted)
      for (const ask of [...asks, ...filters]) {
        const sent = await ask(own, own);
        const [path, body] = typeof sent === 'string' ? [sent, undefined] : sent;
        asked.push([name.split(' ')[0] ?? '', path, body]);
      }
    let shown = '';
    for (const [method, path, body] of [...named, ...asked]) {
      const answer = await api.send(method, path, { key, body });
      expectNoCost(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      shown += JSON.stringify(answer.body);
    }
    // The walk saw the request: what is charged, and the prices by the list.
    expect(shown).toContain(`"cost_usd":"${CHARGED}"`);
    expect(shown).toContain('1.35308641977');
  });

  it.each(Object.keys(RPC_ACCESS.DashboardService) as HolderRpc[])('by %s', async (rpc) => {
    const test = roleCases(control, own)[rpc];
    const request = test?.plain ?? (await test?.named?.(own, 'owner')) ?? {};
    const about = { ...request, requestId };
    for (const sent of [request, about]) expectNoCost(await callAs(rpc, own.signIns.owner, sent));
  });

  it('in the usage, requests, receipt and statement of a holder, which show the charge', async () => {
    const accountId = own.id;
    const seen = await Promise.all([
      callAs('GetHolderUsage', own.signIns.owner, { accountId, ...USAGE, groupBy: ['model'] }),
      callAs('ListHolderRequests', own.signIns.owner, { accountId, ...PERIOD }),
      callAs('GetHolderReceipt', own.signIns.owner, { accountId, requestId }),
      callAs('GetHolderStatement', own.signIns.owner, {
        accountId,
        month: new Date().toISOString().slice(0, 7),
      }),
    ]);
    for (const text of seen) {
      expectNoCost(text);
      expect(text).toContain(nano(CHARGED));
    }
  });

  it('to data planes, which answer keys', async () => {
    const owner = { accountId: own.id };
    const answers = [
      await control.caller('billing', 'getUsage', { owner, ...USAGE, groupBy: ['model'] }),
      await control.caller('billing', 'getReceipt', { owner, requestId }),
    ];
    for (const answer of answers) {
      expectNoCost(JSON.stringify(answer));
      expect(JSON.stringify(answer)).toContain(nano(CHARGED));
    }
  });
});

describe('operators see the cost at the provider and the margin', () => {
  const receipt = {
    ...{ cost_usd: HIDDEN.cost, charged_usd: CHARGED, margin_usd: HIDDEN.margin, settled_usd: CHARGED },
    attempts_cost_usd: HIDDEN.attemptsCost,
    price_list_version: Number(HIDDEN.priceListVersion),
  };

  it('in receipts by an unbound admin key, and as auditor in the console', async () => {
    const details = {
      ...receipt,
      parts: [{ cost_usd: HIDDEN.cost, charged_usd: CHARGED, margin_usd: HIDDEN.margin }],
      attempts: [
        {
          estimated_units: { input_tokens: Number(HIDDEN.attemptsTokens) },
          estimated_cost_usd: HIDDEN.attemptsCost,
          provider_request_id: HIDDEN.providerRequest,
        },
        { estimated_units: null, estimated_cost_usd: null, provider_request_id: null },
      ],
    };
    expect((await api.get(`/admin/v1/receipts/${requestId}`)).body).toMatchObject(details);
    const listed = await api.get(`/admin/v1/receipts?request_id=${requestId}`);
    expect(listed.body.data).toMatchObject([receipt]);
    const answer = JSON.parse(
      await callAs('CallManagementApi', auditor, {
        operation: 'getReceipt',
        requestJson: JSON.stringify({ path: { id: requestId } }),
      }),
    );
    expect(JSON.parse(answer.bodyJson)).toMatchObject(details);
  });

  it('in sums of usage, which count attempts whose responses were not used', async () => {
    const sums = { charged_usd: CHARGED, cost_usd: HIDDEN.costOfSums, margin_usd: HIDDEN.marginOfSums };
    for (const query of [
      'group_by=model',
      'group_by=key',
      'group_by=tag:project',
      'bucket_width=1h&group_by=key',
    ])
      expect((await api.get(`/admin/v1/usage?account_id=${own.id}&${query}`)).body.totals).toMatchObject(
        sums,
      );
    const messages = { cost: nano(CHARGED), providerCost: nano(HIDDEN.costOfSums) };
    const total = { startTime: 0, endTime: USAGE.endTime, groupBy: 'key', limit: 9, account: own.id };
    const { groups, totals } = await control.admin('billing', 'getTotalUsage', total);
    expect([totals, groups.find(({ id }) => id === keyId)?.sums]).toMatchObject([messages, messages]);
    const usage = { owner: { accountId: own.id }, ...USAGE, groupBy: ['model'] };
    expect((await control.admin('billing', 'getUsage', usage)).totals).toMatchObject(messages);
  });

  it('by the methods that gatewayctl calls', async () => {
    const money = {
      cost: nano(CHARGED),
      providerCost: nano(HIDDEN.cost),
      attemptsCost: nano(HIDDEN.attemptsCost),
    };
    expect(await control.admin('billing', 'getReceipt', { requestId })).toMatchObject(money);
    const { receipts } = await control.admin('billing', 'listReceipts', { account: own.id, limit: 9 });
    expect(receipts.find((each) => each.requestId === requestId)).toMatchObject(money);
  });
});
