import { createHash } from 'node:crypto';
import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { expect } from 'vitest';
import { expectRefusal } from '../fixtures/administration-fixture.ts';
import { it, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { signInsOf } from '../fixtures/holder-fixture.ts';

/** Returns each account's id, or the status of the refusal. */
async function outcomes(calls: Promise<{ id: string }>[]): Promise<unknown[]> {
  return (await Promise.allSettled(calls)).map((settled) =>
    settled.status === 'fulfilled' ? settled.value.id : grpcStatus(settled.reason),
  );
}

it('a sign-in gets an account on its first use, with its pool, and the same one ever after', async () => {
  await using control = await startControlPlanes();
  const signIns = signInsOf(control);
  const account = await signIns.open({ signInId: 'user_1', email: 'Ada@Example.com', name: 'Ada' });
  expect(account).toMatchObject({
    id: expect.stringMatching(/^acct_/),
    email: 'ada@example.com',
    name: 'Ada',
  });
  const asByOperators = await signIns.createAccount('grace@example.com');
  const pools = await control.query('SELECT owner, name, included FROM pools ORDER BY owner');
  const [own, other] = [account.id, asByOperators.id].map((id) =>
    pools.filter((pool) => pool.owner === `account:${id}`).map(({ owner: _, ...pool }) => pool),
  );
  expect(own).toEqual(other);
  // The sign-in keeps its account, whatever its address is.
  const later = await signIns.open({ signInId: 'user_1', email: 'else@example.com', mayCreate: false });
  expect(later).toEqual(account);
});

it('concurrent calls of a sign-in open one account', async ({ pair: control }) => {
  for (const emailVerified of [false, true]) {
    const calls = Array.from({ length: 24 }, (_, index) =>
      signInsOf(control, index % 2).open({ signInId: `user_${emailVerified}`, emailVerified }),
    );
    expect(new Set(await outcomes(calls)).size).toBe(1);
  }
  expect(await control.query(`SELECT id FROM accounts WHERE sign_in_id IS NOT NULL`)).toHaveLength(2);
});

it('exactly one of the sign-ins that race for an address gets its account', async ({ pair: control }) => {
  for (const emailVerified of [false, true]) {
    const email = `wanted-${emailVerified}@example.com`;
    const calls = Array.from({ length: 12 }, (_, index) =>
      signInsOf(control, index % 2).open({ signInId: `${emailVerified}_${index}`, email, emailVerified }),
    );
    const results = await outcomes(calls);
    expect(results.filter((result) => result === GrpcStatus.ALREADY_EXISTS)).toHaveLength(11);
    const stored = await control.query('SELECT id, sign_in_id FROM accounts WHERE email = $1', [email]);
    expect(stored).toHaveLength(1);
    expect(results.indexOf(stored[0]?.id)).toBe(Number(String(stored[0]?.sign_in_id).split('_')[1]));
  }
});

it('a sign-in gets the account of its address only if it is proven and nobody has signed in to it', async () => {
  await using control = await startControlPlanes();
  const signIns = signInsOf(control);
  const { id } = await signIns.createAccount('held@example.com');
  const email = 'HELD@example.com';
  await expectRefusal(signIns.open({ signInId: 'stranger', email }), GrpcStatus.ALREADY_EXISTS);
  await expectRefusal(
    signIns.open({ signInId: 'stranger', email, mayCreate: false }),
    GrpcStatus.ALREADY_EXISTS,
  );
  const proven = { email, emailVerified: true, mayCreate: false };
  expect(await signIns.open({ signInId: 'holder', ...proven })).toMatchObject({ id });
  await expectRefusal(signIns.open({ signInId: 'second', ...proven }), GrpcStatus.ALREADY_EXISTS);
  expect(await control.query(`SELECT sign_in_id FROM accounts WHERE id = '${id}'`)).toEqual([
    { sign_in_id: 'holder' },
  ]);
});

it('no account is opened if creation is not allowed, nor without address or sign-in', async ({ control }) => {
  const signIns = signInsOf(control);
  const before = await control.query('SELECT * FROM accounts');
  for (const emailVerified of [false, true]) {
    await expectRefusal(
      signIns.open({ signInId: 'user', emailVerified, mayCreate: false }),
      GrpcStatus.FAILED_PRECONDITION,
    );
  }
  for (const signIn of [
    { signInId: '', email: 'a@example.com' },
    { signInId: 'x\0', email: 'a@example.com' },
    { signInId: 'user', email: 'none' },
    { signInId: 'user', name: '\0' },
  ])
    await expectRefusal(signIns.open(signIn), GrpcStatus.INVALID_ARGUMENT);
  expect(await control.query('SELECT * FROM accounts')).toEqual(before);
});

it('a password reset gives an account its first sign-in, or takes it from the present one', async () => {
  await using control = await startControlPlanes();
  const signIns = signInsOf(control);
  const first = await signIns.resetPassword('TEST@example.com');
  expect(first.account?.id).toBe('acct_test');
  expect(await signIns.redeem(first.token, 'user_1')).toMatchObject({
    account: { id: 'acct_test', email: 'test@example.com' },
    signInId: 'user_1',
  });
  const second = await signIns.resetPassword('acct_test');
  const again = { signInId: 'user_1', email: 'test@example.com' };
  await expectRefusal(signIns.open(again), GrpcStatus.ALREADY_EXISTS);
  expect(await signIns.redeem(second.token, 'user_2')).toMatchObject({ signInId: 'user_2' });
  expect(await signIns.open({ signInId: 'user_2' })).toMatchObject({ id: 'acct_test' });
  await expectRefusal(signIns.open(again), GrpcStatus.ALREADY_EXISTS);
});

it('a password reset is valid for a day, stored only as a hash, and never logged', async ({ control }) => {
  const signIns = signInsOf(control);
  const { token, expiresAtMs } = await signIns.resetPassword('acct_test');
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(Math.abs(Number(expiresAtMs) - Date.now() - 86_400_000)).toBeLessThan(60_000);
  const rows = await control.query('SELECT * FROM password_resets');
  expect(rows).toMatchObject([{ token_hash: createHash('sha256').update(token).digest('hex') }]);
  expect(JSON.stringify(rows)).not.toContain(token);
  await control.query(`UPDATE password_resets SET expires_at = now() - interval '1 millisecond'`);
  await expectRefusal(signIns.redeem(token, 'user_1'), GrpcStatus.NOT_FOUND);
  expect(control.logText()).not.toContain(token);
});

it('a password reset works once, whoever uses it at the same time', async ({ pair: control }) => {
  const { token } = await signInsOf(control).resetPassword('acct_test');
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) => signInsOf(control, index % 2).redeem(token, `user_${index}`)),
  );
  const won = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  const lost = attempts.flatMap((attempt) =>
    attempt.status === 'rejected' ? [grpcStatus(attempt.reason)] : [],
  );
  expect(won).toHaveLength(1);
  expect(lost).toEqual(Array.from({ length: 19 }, () => GrpcStatus.NOT_FOUND));
  expect(await control.query(`SELECT sign_in_id FROM accounts WHERE id = 'acct_test'`)).toEqual([
    { sign_in_id: won[0]?.signInId },
  ]);
});

it('a password reset ends the earlier one', async ({ control }) => {
  const signIns = signInsOf(control);
  const [earlier, later] = [
    await signIns.resetPassword('acct_test'),
    await signIns.resetPassword('acct_test'),
  ];
  await expectRefusal(signIns.redeem(earlier.token, 'user_1'), GrpcStatus.NOT_FOUND);
  expect(await signIns.redeem(later.token, 'user_1')).toMatchObject({ signInId: 'user_1' });
  for (const token of ['', later.token, 'x'])
    await expectRefusal(signIns.redeem(token, 'user_1'), GrpcStatus.NOT_FOUND);
  await expectRefusal(signIns.resetPassword('acct_none'), GrpcStatus.NOT_FOUND);
});

it('a password reset is not used up by a sign-in that has another account', async ({ control }) => {
  const signIns = signInsOf(control);
  await signIns.open({ signInId: 'user_1' });
  const { token } = await signIns.resetPassword('acct_test');
  await expectRefusal(signIns.redeem(token, 'user_1'), GrpcStatus.ALREADY_EXISTS);
  expect(await signIns.redeem(token, 'user_2')).toMatchObject({ signInId: 'user_2' });
});
