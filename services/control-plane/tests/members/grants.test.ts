import { randomUUID } from 'node:crypto';
import { ACCOUNT_ROLES, type AccountRole } from '@model-gateway/shared/access';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RoleStore } from '../../src/access/role-store.ts';
import type { Actor } from '../../src/actors/actor.ts';
import { ControlPlaneError } from '../../src/errors/control-plane-error.ts';
import { MemberChangeStore } from '../../src/members/member-change-store.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { insertMember, signInWith } from '../fixtures/roles-fixture.ts';

const control = useControlPlanes();

const PEOPLE = 5;
const person = fc.nat({ max: PEOPLE - 1 });
const role = fc.constantFrom(...ACCOUNT_ROLES);
const step = fc.record({
  /** Member who acts; undefined: an operator. */
  actor: fc.option(person, { freq: 5 }),
  target: person,
  change: fc.oneof(
    fc.record({ kind: fc.constantFrom('add', 'invite', 'change'), role }),
    fc.record({ kind: fc.constant('remove'), role }),
  ),
});
type Step = typeof step extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const rank = (given: AccountRole | undefined) => (given === undefined ? -1 : ACCOUNT_ROLES.indexOf(given));

/** An account that no sign-in owns by its address: it has only members. */
async function newAccount(roles: readonly (AccountRole | null)[]) {
  const id = `acct_${randomUUID()}`;
  await control.sql`INSERT INTO accounts (id, email, name) VALUES (${id}, ${`${id}@example.com`}, 'Account')`;
  const people = Array.from({ length: PEOPLE }, (_, index) => `${index}-${id}@example.com`);
  const signIns = await Promise.all(people.map((email) => signInWith(control, email)));
  for (const [index, given] of roles.entries()) {
    if (given === null) continue;
    await insertMember(control, id, { email: people[index], role: given, signInId: signIns[index] });
  }
  const memberChangeStore = new MemberChangeStore(control.prisma);
  const roleStore = new RoleStore(control.prisma);
  const roleOf = async (index: number) => (await roleStore.accountRoleOf(id, signIns[index] ?? ''))?.role;
  const owners = async () => {
    const [row] = await control.sql`
      SELECT count(*)::int AS count FROM account_members
      WHERE account_id = ${id} AND role = 'owner' AND token_hash IS NULL`;
    return Number(row?.count);
  };
  const run = async ({ actor: by, target, change }: Step): Promise<boolean> => {
    const actor: Actor =
      by === null
        ? { type: 'operator_token', way: 'cli', ip: '192.0.2.7' }
        : {
            ...{ type: 'user', way: 'dashboard', accountId: id, signInId: signIns[by] ?? '', email: '' },
            ...{ ip: '192.0.2.7', requestId: 'req_1' },
          };
    const email = people[target] ?? '';
    const member = { id: `mem_${randomUUID()}`, accountId: id, email, name: '', role: change.role };
    const key = { accountId: id, member: email };
    try {
      if (change.kind === 'remove') await memberChangeStore.remove(actor, key);
      else if (change.kind === 'change') await memberChangeStore.changeRole(actor, key, change.role);
      else if (change.kind === 'add')
        await memberChangeStore.add(actor, { ...member, source: 'operator' }, 9);
      else {
        const invitation = { tokenHash: randomUUID(), validDays: 1 };
        await memberChangeStore.add(actor, { ...member, source: 'invitation', invitation }, 9);
      }
      // Each added person signs in.
      await control.sql`
        UPDATE account_members SET sign_in_id = ${signIns[target]} WHERE id = ${member.id} AND token_hash IS NULL`;
      return true;
    } catch (error) {
      if (error instanceof ControlPlaneError) return false;
      throw error;
    }
  };
  return { owners, roleOf, run };
}

const roles = fc.array(fc.option(role), { minLength: PEOPLE, maxLength: PEOPLE });

it('no sequence of grants leaves an account without the owner it had, or gives more than the granter has', async () => {
  await fc.assert(
    fc.asyncProperty(roles, fc.array(step, { minLength: 1, maxLength: 12 }), async (given, steps) => {
      const { owners, roleOf, run } = await newAccount(given);
      let hadOwner = (await owners()) > 0;
      for (const each of steps) {
        const granter = each.actor === null ? 'owner' : await roleOf(each.actor);
        const before = await roleOf(each.target);
        const isDone = await run(each);
        if (isDone) {
          expect(rank(granter)).toBeGreaterThanOrEqual(rank('admin'));
          expect(rank(granter)).toBeGreaterThanOrEqual(rank(before));
          if (each.change.kind !== 'remove')
            expect(rank(granter)).toBeGreaterThanOrEqual(rank(each.change.role));
        } else expect(await roleOf(each.target)).toBe(before);
        if (hadOwner) expect(await owners()).toBeGreaterThan(0);
        hadOwner ||= (await owners()) > 0;
      }
    }),
    { numRuns: 12 },
  );
});

it('no concurrent grants leave an account without the owner it had', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 8 }), async (steps) => {
      const { owners, run } = await newAccount(['owner', 'owner', 'admin', null, null]);
      await Promise.all(steps.map(run));
      expect(await owners()).toBeGreaterThan(0);
    }),
    { numRuns: 10 },
  );
});
