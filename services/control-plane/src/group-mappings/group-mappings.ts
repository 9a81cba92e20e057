import { type AccountRole, INSTALLATION_ROLES, type InstallationRole } from '@model-gateway/shared/access';
import { z } from 'zod';

const MAX_MAPPINGS = 1_000;

const from = {
  /** Name or id of the group, in any case. */
  group: z.string().min(1),
  /** Id in OIDC_PROVIDERS, or name of a SCIM token. Absent: groups of every provider. */
  provider: z.string().min(1).optional(),
};

/** Roles that a group can give. None makes an owner. */
const GROUP_ROLES = ['viewer', 'developer', 'admin'] as const satisfies readonly AccountRole[];

const groupMapping = z.union(
  [
    z.strictObject({ ...from, account: z.string().min(1).optional(), role: z.enum(GROUP_ROLES) }),
    z.strictObject({ ...from, team: z.string().min(1) }),
    z.strictObject({ ...from, installation: z.enum(INSTALLATION_ROLES) }),
  ],
  'expected {"group":…,"role":…,"account":…}, {"group":…,"team":…} or {"group":…,"installation":…}',
);

/** Roles and seats for members of identity providers' groups (SSO_GROUPS). */
export type GroupMappings = readonly z.infer<typeof groupMapping>[];

/** Reads SSO_GROUPS, a list in JSON. */
export const groupMappingsSetting = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue(
        'expected a list in JSON such as [{"group":"admins","account":"acct_…","role":"admin"}]',
      );
      return z.NEVER;
    }
  })
  .pipe(z.array(groupMapping).max(MAX_MAPPINGS));

/** Roles and seats of a person. */
export interface Assignments {
  /** `account`: id or e-mail address. */
  roles: { account: string; role: AccountRole }[];
  teamIds: string[];
  installation: InstallationRole[];
}

/**
 * Returns the roles and seats that groups give.
 * @param from.groups names and ids
 * @param from.accountId account of the SCIM token, which limits all roles and seats to it: mappings need not
 *   name it
 */
export function assignmentsOf(
  mappings: GroupMappings,
  from: { provider: string; groups: readonly string[]; accountId?: string | undefined },
): Assignments {
  const groups = new Set(from.groups.map((group) => group.toLowerCase()));
  const assignments: Assignments = { roles: [], teamIds: [], installation: [] };
  for (const mapping of mappings) {
    if (!groups.has(mapping.group.toLowerCase())) continue;
    if (mapping.provider !== undefined && mapping.provider !== from.provider) continue;
    if ('team' in mapping) assignments.teamIds.push(mapping.team);
    else if ('installation' in mapping) {
      if (from.accountId === undefined) assignments.installation.push(mapping.installation);
    } else {
      const account = mapping.account ?? from.accountId;
      if (account !== undefined) assignments.roles.push({ account, role: mapping.role });
    }
  }
  return assignments;
}
