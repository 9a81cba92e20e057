import { GrpcStatus } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { expectRefusal, insertAccount } from '../fixtures/administration-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { manage, refusal } from '../fixtures/management-fixture.ts';

const control = useControlPlanes();
const api = manage(control);

describe('admin keys of the dashboard', () => {
  it('are bound to the account of their holder, who creates, lists and revokes them', async () => {
    const holder = holderOf(control, await insertAccount(control, 'holder'));
    const { key, rawKey } = await holder.change('createHolderAdminKey', {
      name: 'mine',
      scopes: ['keys:write'],
    });
    expect(key).toMatchObject({ name: 'mine', scopes: ['keys:write'], accountId: 'acct_holder' });
    const { body } = await api.post('/admin/v1/keys', { name: 'made' }, { key: rawKey });
    expect(body.account_id).toBe('acct_holder');
    const { keys } = await holder.read('listHolderAdminKeys', {});
    expect(keys.map(({ id }) => id)).toEqual([key?.id]);
    const other = holderOf(control, await insertAccount(control, 'other'));
    await expectRefusal(other.change('revokeHolderAdminKey', { id: key?.id ?? '' }), GrpcStatus.NOT_FOUND);
    expect((await other.read('listHolderAdminKeys', {})).keys).toEqual([]);
    await holder.change('revokeHolderAdminKey', { id: key?.id ?? '' });
    expect(refusal(await api.get('/admin/v1/keys', { key: rawKey })).status).toBe(401);
  });

  it.each(['accounts:write', 'pools:write', 'catalog:read', 'fleet:read', 'teams:write'])(
    'cannot have the scope %s, which would allow more than the dashboard does',
    async (scope) => {
      const holder = holderOf(control, 'acct_test');
      const call = holder.change('createHolderAdminKey', { name: 'more', scopes: [scope] });
      await expectRefusal(call, GrpcStatus.PERMISSION_DENIED);
    },
  );
});
