import { randomBytes } from 'node:crypto';
import { GrpcStatus } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { holderOf } from '../fixtures/holder-fixture.ts';
import { insertMember, signInWith } from '../fixtures/roles-fixture.ts';
import { connectProvider } from '../fixtures/scim-fixture.ts';

const control = useControlPlanes();

const newEmail = () => `${randomBytes(8).toString('hex')}@example.com`;
const setActive = (value: boolean) => ({ op: 'replace', path: 'active', value });

const newKey = (account: string) => control.admin('accounts', 'createKey', { account, name: 'test' });

const openAccounts = (email: string, signInId: string) =>
  control.caller('dashboard', 'openAccounts', {
    ...{ signInId, email, name: 'Test', emailVerified: true, mayCreate: true },
  });

describe('an account that SCIM has stopped', () => {
  it('gets no key from an operator until its owner is active again', async () => {
    const entra = await connectProvider(control, { name: 'entra' });
    const email = newEmail();
    const id = await entra.createUser(email);
    await entra.patch(`/Users/${id}`, setActive(false));
    await expect(newKey(email)).rejects.toMatchObject({
      code: GrpcStatus.FAILED_PRECONDITION,
      message: expect.stringMatching(
        /SCIM has stopped the account acct_\w+: activate its owner at the identity provider/,
      ),
    });
    await entra.patch(`/Users/${id}`, setActive(true));
    await newKey(email);
    await entra.send('DELETE', `/Users/${id}`);
    await expect(newKey(email)).rejects.toMatchObject({
      message: expect.stringContaining('run gatewayctl accounts resume'),
    });
    await control.admin('accounts', 'resumeAccount', { account: email });
    await newKey(email);
  });

  it('still gets the keys that its other members make', async () => {
    const entra = await connectProvider(control, { name: 'entra' });
    const email = newEmail();
    const id = await entra.createUser(email);
    const [account] = await control.sql`SELECT id FROM accounts WHERE email = ${email}`;
    const accountId = String(account?.id);
    const signInId = await signInWith(control);
    await insertMember(control, accountId, { role: 'developer', signInId });
    await entra.patch(`/Users/${id}`, setActive(false));
    const { key } = await holderOf(control, accountId).createKey('mine', undefined, signInId);
    const [stored] = await control.sql`SELECT revoked_at FROM api_keys WHERE id = ${key?.id}`;
    expect(stored).toEqual({ revoked_at: null });
  });
});

describe('an owner whom the identity provider of the installation has deleted', () => {
  async function deletedOwner() {
    const email = newEmail();
    const entra = await connectProvider(control, { name: 'entra' });
    const id = await entra.createUser(email);
    const signInId = await signInWith(control, email);
    await openAccounts(email, signInId);
    const own = await connectProvider(control, { name: 'own', account: email });
    await entra.send('DELETE', `/Users/${id}`);
    return { email, entra, own, signIn: () => openAccounts(email, signInId) };
  }
  const refused = { code: GrpcStatus.PERMISSION_DENIED };

  it('is restored by that provider, not by the identity provider of the account', async () => {
    const { email, entra, own, signIn } = await deletedOwner();
    const id = await own.createUser(email);
    await own.patch(`/Users/${id}`, setActive(false));
    await own.patch(`/Users/${id}`, setActive(true));
    await expect(signIn()).rejects.toMatchObject(refused);
    await expect(newKey(email)).rejects.toMatchObject({ code: GrpcStatus.FAILED_PRECONDITION });
    await entra.createUser(email);
    expect((await signIn()).accounts).toHaveLength(1);
  });

  it('is restored by an operator', async () => {
    const { email, own, signIn } = await deletedOwner();
    await control.admin('accounts', 'resumeAccount', { account: email });
    expect((await signIn()).accounts).toHaveLength(1);
    // After that, the account's own identity provider may stop and restore the owner.
    const id = await own.createUser(email);
    await own.send('DELETE', `/Users/${id}`);
    await expect(signIn()).rejects.toMatchObject(refused);
    await own.createUser(email);
    expect((await signIn()).accounts).toHaveLength(1);
  });
});
