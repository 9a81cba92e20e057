import type { RecordedChange } from '../audit/record-change.ts';
import type { Transaction } from '../database/prisma-store.ts';
import type { AssignmentChange, AssignmentSource } from './assignment-change.ts';

interface RoleOfPerson {
  email: string;
  role: string;
}

/** Grants and revokes the installation roles of a source. Roles of other sources stay. */
export async function applyInstallationRoles(
  transaction: Transaction,
  { people, source }: Pick<AssignmentChange, 'people' | 'source'>,
): Promise<{ changes: RecordedChange[] }> {
  const wanted = new Map<string, RoleOfPerson>(
    people.flatMap(({ email, assignments }) =>
      assignments.installation.map((role) => [`${email} ${role}`, { email, role }] as const),
    ),
  );
  const emails = people.map(({ email }) => email);
  const current = await transaction.installationRole.findMany({
    where: { email: { in: emails }, source },
    orderBy: [{ email: 'asc' }, { role: 'asc' }],
  });
  const surplus = current.filter(({ email, role }) => !wanted.delete(`${email} ${role}`));
  const added = [...wanted.values()];
  await transaction.installationRole.createMany({ data: added.map((each) => ({ ...each, source })) });
  for (const { email, role } of surplus) {
    await transaction.installationRole.delete({
      where: { email_role_source: { email, role, source } },
    });
  }
  return {
    changes: [
      ...added.map((each) => roleChange('role.granted', source, each)),
      ...surplus.map((each) => roleChange('role.revoked', source, each)),
    ],
  };
}

function roleChange(
  action: 'role.granted' | 'role.revoked',
  source: AssignmentSource,
  { email, role }: RoleOfPerson,
): RecordedChange {
  const resource = { object: 'installation_role', email, role, source };
  const isGranted = action === 'role.granted';
  return {
    action,
    object: { type: 'installation_role', id: `${role}:${email}`, name: email },
    accountId: null,
    before: isGranted ? null : resource,
    after: isGranted ? resource : null,
  };
}
