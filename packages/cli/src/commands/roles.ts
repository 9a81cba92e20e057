import type { InstallationRoleMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { formatTable } from '../output/format-table.ts';
import { isoTimestamp } from '../output/timestamp.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

const EMAIL_HELP = 'whoever proves this address has the role';
const ROLE_HELP = 'operator or auditor';

interface Options {
  email: string;
  role: string;
}

export function addRoles(program: Command, run: RunCommand): void {
  const roles = program.command('roles').description('manage roles of people in the installation');
  addRolesGrant(roles, run);
  addRolesList(roles, run);
  addRolesRevoke(roles, run);
}

function addRolesGrant(roles: Command, run: RunCommand): void {
  roles
    .command('grant')
    .description('give a person a role in the installation')
    .requiredOption('--email <address>', EMAIL_HELP)
    .requiredOption('--role <role>', ROLE_HELP)
    .action(({ email, role }: Options) =>
      run(async (client) => {
        const granted = roleJson(
          await client.call(CALL_DEADLINE_MS, 'members', 'grantRole', { email, role }),
        );
        return { json: granted, text: roleTable([granted]) };
      }),
    );
}

function addRolesList(roles: Command, run: RunCommand): void {
  roles
    .command('list')
    .description('list the roles of people in the installation')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'members', 'listRoles', {});
        const listed = answer.roles.map(roleJson);
        return { json: listed, text: roleTable(listed) };
      }),
    );
}

function addRolesRevoke(roles: Command, run: RunCommand): void {
  roles
    .command('revoke')
    .description('take a role in the installation from a person')
    .requiredOption('--email <address>', 'the address that has the role')
    .requiredOption('--role <role>', ROLE_HELP)
    .action(({ email, role }: Options) =>
      run(async (client) => {
        const revoked = roleJson(
          await client.callOnce(CALL_DEADLINE_MS, 'members', 'revokeRole', { email, role }),
        );
        return {
          json: { ...revoked, status: 'revoked' },
          text: `${revoked.email} no longer has the role ${revoked.role}\n`,
        };
      }),
    );
}

function roleJson({ email, role, source, createdAtMs }: InstallationRoleMessage) {
  return { email, role, source, created_at: isoTimestamp(createdAtMs) };
}

function roleTable(roles: readonly ReturnType<typeof roleJson>[]): string {
  return formatTable(
    ['EMAIL', 'ROLE', 'SOURCE', 'CREATED'],
    roles.map(({ email, role, source, created_at }) => [email, role, source, created_at]),
  );
}
