import { type AccountRole, INSTALLATION_ROLES, type InstallationRole } from '@model-gateway/shared/access';
import { z } from 'zod';

const MAX_GRANTS = 1_000;

const from = {
  /** Name or id of the group, in any case. */
  group: z.string().min(1),
  /** Only from this provider: a name of OIDC_PROVIDERS, or of a SCIM token. Absent: from each. */
  provider: z.string().min(1).optional(),
};

/** Ownership is never given by a group. */
const GROUP_ROLES = ['viewer', 'developer', 'admin'] as const satisfies readonly AccountRole[];

const groupGrant = z.union(
  [
    z.strictObject({ ...from, account: z.string().min(1).optional(), role: z.enum(GROUP_ROLES) }),
    z.strictObject({ ...from, team: z.string().min(1) }),
    z.strictObject({ ...from, installation: z.enum(INSTALLATION_ROLES) }),
  ],
  'expected {"group":…,"role":…,"account":…}, {"group":…,"team":…} or {"group":…,"installation":…}',
);

/** What the members of identity providers' groups get; the setting SSO_GROUPS. */
export type GroupGrants = readonly z.infer<typeof groupGrant>[];

/** Reads SSO_GROUPS, a list in JSON. */
export const groupGrantsSetting = z
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
  .pipe(z.array(groupGrant).max(MAX_GRANTS));

/** What a person gets by its groups. */
export interface Grants {
  /** `account`: id or e-mail address. */
  roles: { account: string; role: AccountRole }[];
  teamIds: string[];
  installation: InstallationRole[];
}

/**
 * Returns what groups give.
 * @param from.groups names and ids
 * @param from.accountId account of the SCIM token: nothing outside it is given, and roles may leave it out
 */
export function grantsOf(
  grants: GroupGrants,
  from: { provider: string; groups: readonly string[]; accountId?: string | undefined },
): Grants {
  const groups = new Set(from.groups.map((group) => group.toLowerCase()));
  const given: Grants = { roles: [], teamIds: [], installation: [] };
  for (const grant of grants) {
    if (!groups.has(grant.group.toLowerCase())) continue;
    if (grant.provider !== undefined && grant.provider !== from.provider) continue;
    if ('team' in grant) given.teamIds.push(grant.team);
    else if ('installation' in grant) {
      if (from.accountId === undefined) given.installation.push(grant.installation);
    } else {
      const account = grant.account ?? from.accountId;
      if (account !== undefined) given.roles.push({ account, role: grant.role });
    }
  }
  return given;
}
