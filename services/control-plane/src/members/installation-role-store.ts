import { INSTALLATION_ROLES } from '@model-gateway/shared/access';
import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows } from '../database/prisma-store.ts';

const storedRole = z.object({
  email: z.string(),
  role: z.enum(INSTALLATION_ROLES),
  /** operator, scim, oidc or oidc:NAME */
  source: z.string(),
  createdAt: z.date(),
});
/** Role of a person in the installation. */
export type StoredInstallationRole = z.infer<typeof storedRole>;

type RoleKey = Pick<StoredInstallationRole, 'email' | 'role'> & { source: 'operator' };

const roleRows = z.array(storedRole);
const MAX_LISTED = 1_000;

export class InstallationRoleStore extends PrismaStore {
  /** Lists roles by address. */
  async list(): Promise<StoredInstallationRole[]> {
    return await this.query(roleRows)`
      SELECT email, role, source, created_at AS "createdAt" FROM installation_roles
      ORDER BY email, role, source LIMIT ${MAX_LISTED}`;
  }

  /** Gives a role; one that was given before stays as it is. */
  async grant(actor: Actor, { email, role, source }: RoleKey): Promise<StoredInstallationRole> {
    return await this.prisma.$transaction(async (transaction) => {
      const key = { email_role_source: { email, role, source } };
      const [created] = await queryRows(transaction, roleRows)`
        INSERT INTO installation_roles (email, role, source) VALUES (${email}, ${role}, ${source})
        ON CONFLICT DO NOTHING RETURNING email, role, source, created_at AS "createdAt"`;
      if (created === undefined)
        return storedRole.parse(await transaction.installationRole.findUniqueOrThrow({ where: key }));
      await recordChange(transaction, actor, {
        action: 'role.granted',
        ...objectOf(created),
        before: null,
        after: roleResource(created),
      });
      return created;
    });
  }

  /** @returns null when the person does not have the role from this source */
  async revoke(actor: Actor, { email, role, source }: RoleKey): Promise<StoredInstallationRole | null> {
    return await this.prisma.$transaction(async (transaction) => {
      const [revoked] = await queryRows(transaction, roleRows)`
        DELETE FROM installation_roles WHERE email = ${email} AND role = ${role} AND source = ${source}
        RETURNING email, role, source, created_at AS "createdAt"`;
      if (revoked === undefined) return null;
      await recordChange(transaction, actor, {
        action: 'role.revoked',
        ...objectOf(revoked),
        before: roleResource(revoked),
        after: null,
      });
      return revoked;
    });
  }
}

function objectOf({ email, role }: StoredInstallationRole) {
  return { object: { type: 'installation_role', id: `${role}:${email}`, name: email }, accountId: null };
}

function roleResource({ createdAt, email, role, source }: StoredInstallationRole) {
  return { object: 'installation_role', email, role, source, created_at: createdAt.toISOString() };
}
