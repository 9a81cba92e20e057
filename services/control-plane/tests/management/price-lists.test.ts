import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { addModel } from '../fixtures/catalog-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { type Answer, manage, refusal } from '../fixtures/management-fixture.ts';
import { objectsOf } from '../fixtures/roles-fixture.ts';

const PATH = '/admin/v1/price_lists';
const MODEL = 'acme/chat';
const PRICES = { input_per_million_usd: '4', output_per_million_usd: '9' };

const control = useControlPlanes();
const api = manage(control);

beforeAll(() => addModel(control, MODEL));

const match = ({ headers }: Answer) => ({ headers: { 'if-match': headers.get('etag') ?? '' } });
const idOf = ({ body }: Answer) => String(body.id);
const create = (more: object = {}) => api.post(PATH, { name: 'List', factor: '1.2', ...more });
const revision = async () => Number((await control.caller('catalog', 'getCatalog', {})).revision);
const numberOf = ({ body }: Answer) => (body.version as { number: number }).number;
const actionsOf = async (id: string) => {
  const { body } = await api.get(`/admin/v1/audit_events?object_id=${id}`);
  return (body.data as { action: string }[]).map(({ action }) => action);
};

describe('a price list', () => {
  it('is created with a version, changed, listed and deleted, and each change is a revision of the catalog', async () => {
    const before = await revision();
    const created = await create({
      models: [
        { model: MODEL, pricing: PRICES },
        { model: 'acme/*', factor: '2' },
      ],
    });
    expect(created).toMatchObject({
      status: 201,
      body: { object: 'price_list', name: 'List', is_default: false, version: { factor: '1.2' } },
    });
    const path = `${PATH}/${idOf(created)}`;
    const shown = await api.get(path);
    expect(shown.headers.get('etag')).toBe(created.headers.get('etag'));
    expect(shown.body).toMatchObject({ accounts: 0, version_in_force: numberOf(created) });

    const renamed = await api.patch(path, { name: 'Partners' }, match(created));
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Partners' } });
    expect(refusal(await api.patch(path, { name: 'Late' }, match(created)))).toMatchObject({ status: 412 });
    expect(refusal(await api.patch(path, { name: 'None' }))).toMatchObject({ status: 428 });

    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    const later = await api.post(`${path}/versions`, { factor: '1.5', valid_from: inAnHour });
    expect(later).toMatchObject({ status: 201, body: { version: { factor: '1.5', valid_from: inAnHour } } });
    expect(numberOf(later)).toBe(numberOf(created) + 1);
    expect((await api.get(path)).body).toMatchObject({
      version_in_force: numberOf(created),
      versions: [{ number: numberOf(later) }, { number: numberOf(created), models: [{}, {}] }],
    });
    const { body } = await api.get(`${PATH}?limit=1`);
    expect(body.data).toEqual([{ ...later.body, accounts: 0 }]);
    expect(await revision()).toBe(before + 3);

    expect((await api.delete(path)).body).toEqual({ id: idOf(created), object: 'price_list', deleted: true });
    expect(refusal(await api.get(path))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await actionsOf(idOf(created))).toEqual([
      'price_list.deleted',
      ...['price_list.changed', 'price_list.changed', 'price_list.created'],
    ]);
    // Receipts still find the deleted list's versions, and no later version gets their numbers.
    expect(numberOf(await create())).toBe(numberOf(later) + 1);
  });

  it('replaces the default one, and is not deleted while it is that', async () => {
    const first = await create({ is_default: true });
    const second = await create({ is_default: true });
    expect((await api.get(`${PATH}/${idOf(first)}`)).body).toMatchObject({ is_default: false });
    expect(await actionsOf(idOf(first))).toEqual(['price_list.changed', 'price_list.created']);
    const path = `${PATH}/${idOf(second)}`;
    expect(refusal(await api.delete(path))).toMatchObject({ status: 409, code: 'conflict' });
    await api.patch(path, { is_default: false }, match(second));
    expect((await api.delete(path)).status).toBe(200);
  });

  it('gets a number above those from before a restore', async () => {
    await control.sql`UPDATE installation SET price_floor = price_floor + 1000`;
    const [{ floor } = { floor: 0 }] = await control.sql`SELECT price_floor AS floor FROM installation`;
    expect(numberOf(await create())).toBe(Number(floor) + 1);
  });

  it.each([
    [422, 'unknown_field', 'models[0].discount', { models: [{ model: MODEL, factor: '1', discount: '1' }] }],
    [422, 'unknown_field', 'price', { price: '1' }],
    [400, 'invalid_request', 'factor', { factor: '1,2' }],
    [400, 'invalid_request', 'models[0]', { models: [{ model: MODEL }] }],
    [
      422,
      'invalid_prices',
      'models[1].model',
      { models: [{ model: 'a/*', factor: '1' }, priced('acme/none')] },
    ],
    [
      422,
      'invalid_prices',
      'models[0].pricing.output_per_million_usd',
      { models: [{ model: MODEL, pricing: { input_per_million_usd: '1' } }] },
    ],
    [
      422,
      'invalid_prices',
      'models[0].pricing.cached_input_per_million_usd',
      { models: [{ model: MODEL, pricing: { ...PRICES, cached_input_per_million_usd: '5' } }] },
    ],
  ])('is refused with %i %s for %s', async (status, code, param, terms) => {
    const before = await revision();
    expect(await refusedWith(create(terms))).toEqual({ status, code, param });
    expect(await revision()).toBe(before);
  });

  it('is refused with a fixed price for a free model, and from a time in the past', async () => {
    await control.sql`UPDATE models SET tier = 'free' WHERE id = ${MODEL}`;
    expect(await refusedWith(create({ models: [priced(MODEL)] }))).toMatchObject({ code: 'invalid_prices' });
    await control.sql`UPDATE models SET tier = 'paid' WHERE id = ${MODEL}`;
    const past = new Date(Date.now() - 1_000).toISOString();
    expect(await refusedWith(create({ valid_from: past }))).toMatchObject({ status: 400 });
  });
});

function priced(model: string) {
  return { model, pricing: PRICES };
}

async function refusedWith(answer: Promise<Answer>) {
  const { body, status } = await answer;
  const { code, param } = body.error as { code: string; param: string | null };
  return { status, code, param };
}

describe('the price list of an account', () => {
  it('is set by operators, who get a conflict when they delete it, and is gone with the account', async () => {
    const list = await create();
    const path = `${PATH}/${idOf(list)}`;
    const email = `${randomUUID()}@example.com`;
    const account = await api.post('/admin/v1/accounts', { email, price_list_id: idOf(list) });
    expect(account).toMatchObject({ status: 201, body: { price_list_id: idOf(list) } });
    expect((await api.get(path)).body).toMatchObject({ accounts: 1 });
    const refused = await api.delete(path);
    expect(refusal(refused)).toMatchObject({ status: 409, code: 'conflict' });
    expect(JSON.stringify(refused.body)).toContain('1 account has the price list');
    const at = `/admin/v1/accounts/${idOf(account)}`;
    const none = await api.patch(at, { price_list_id: 'pl_none' }, match(account));
    expect(refusal(none)).toMatchObject({ status: 404, code: 'not_found' });
    await api.delete(at);
    expect((await api.delete(path)).status).toBe(200);
    const { id } = { id: await insertAccount(control, randomUUID()) };
    const other = await api.get(`/admin/v1/accounts/${id}`);
    const deleted = await api.patch(`/admin/v1/accounts/${id}`, { price_list_id: idOf(list) }, match(other));
    expect(refusal(deleted)).toMatchObject({ status: 404 });
  });

  it('changes the context of every key that the account pays for, and of no other', async () => {
    const [payer, holder] = [
      await insertAccount(control, randomUUID()),
      await insertAccount(control, randomUUID()),
    ];
    const [own, foreign] = [
      await objectsOf(control, { id: payer }).key(),
      await objectsOf(control, { id: holder }).key(),
    ];
    const team = await control.admin('teams', 'createTeam', { account: payer, name: 'Team' });
    const seat = await control.admin('teams', 'addSeat', { teamId: team.id, account: holder });
    const ask = { account: holder, name: 'On a seat', seatId: seat.id };
    const { key: onSeat } = await control.admin('accounts', 'createKey', ask);
    const list = await create();
    const [{ revision: since } = {}] =
      await control.sql`SELECT value AS revision FROM revisions WHERE name = 'keys'`;
    const change = { account: payer, priceListId: idOf(list) };
    expect(await control.admin('accounts', 'changeAccount', change)).toMatchObject({
      account: { priceListId: idOf(list) },
    });
    const events =
      await control.sql`SELECT key_id FROM key_events WHERE revision > ${since} ORDER BY revision`;
    expect(events.map(({ key_id }) => key_id).sort()).toEqual([own, onSeat?.id].sort());
    expect(events).not.toContainEqual({ key_id: foreign });
  });

  it('is hidden from keys of the account, which cannot set it', async () => {
    const id = await insertAccount(control, randomUUID());
    const list = await create();
    const path = `/admin/v1/accounts/${id}`;
    const before = await api.get(path);
    const assigned = await api.patch(path, { price_list_id: idOf(list) }, match(before));
    expect(assigned.body).toMatchObject({ price_list_id: idOf(list) });
    const { key } = await api.insertKey({ accountId: id });
    const seen = await api.get(path, { key });
    expect(seen.body).not.toHaveProperty('price_list_id');
    expect(seen.headers.get('etag')).toBe(assigned.headers.get('etag'));
    const renamed = await api.patch(path, { name: 'New' }, { key, ...match(seen) });
    expect(renamed.status).toBe(200);
    for (const answer of [
      renamed,
      await api.get('/admin/v1/accounts', { key }),
      await api.get(`/admin/v1/audit_events?account_id=${id}`, { key }),
      await api.post('/admin/v1/rpc/AccountService/ChangeAccount', { account: id, timezone: 'UTC' }, { key }),
    ]) {
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.body)).not.toMatch(/price_?list|pl_/i);
    }
    const set = await api.patch(path, { price_list_id: null }, { key, ...match(renamed) });
    expect(refusal(set)).toMatchObject({ status: 403, code: 'permission_denied' });
    const byRpc = { account: id, priceListId: '' };
    const rpc = await api.post('/admin/v1/rpc/AccountService/ChangeAccount', byRpc, { key });
    expect(rpc.status).toBe(403);
    expect(refusal(await api.get(PATH, { key }))).toMatchObject({ status: 403 });
    expect((await api.get(path)).body).toMatchObject({ price_list_id: idOf(list) });
    const suspended = await api.post(`${path}/suspend`, {}, { key });
    expect(suspended.status).toBe(200);
    expect(suspended.body).not.toHaveProperty('price_list_id');
  });
});
