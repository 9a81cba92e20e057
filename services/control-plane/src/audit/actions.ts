/** Actions of audit events about accounts, keys, rules and pools (docs/audit.md). */
export const ACCOUNT_ACTIONS = [
  'account.claimed',
  'account.created',
  'account.deleted',
  'account.purged',
  'account.resumed',
  'account.suspended',
  'account.updated',
  'api_key.created',
  'api_key.revoked',
  'api_key.rotated',
  'api_key.updated',
  'limits.changed',
  'money.moved',
  'password_reset.issued',
  'password_reset.redeemed',
  'pool.changed',
  'pool.created',
  'pool.removed',
  'rules.changed',
] as const;

/** Actions of audit events about keys of the management API. */
export const ADMIN_KEY_ACTIONS = ['admin_key.created', 'admin_key.revoked'] as const;

/** Actions of audit events about members of accounts, and roles of the installation. */
export const MEMBER_ACTIONS = [
  'member.added',
  'member.invited',
  'member.joined',
  'member.removed',
  'member.role_changed',
  'role.granted',
  'role.revoked',
] as const;

/** Actions of audit events about SCIM (docs/sso-and-scim.md). */
export const SCIM_ACTIONS = [
  'scim.group_changed',
  'scim.group_created',
  'scim.group_deleted',
  'scim.user_created',
  'scim.user_deactivated',
  'scim.user_deleted',
  'scim.user_reactivated',
  'scim.user_updated',
  'scim_token.created',
  'scim_token.revoked',
] as const;

export type AuditAction =
  | (typeof ACCOUNT_ACTIONS)[number]
  | (typeof ADMIN_KEY_ACTIONS)[number]
  | (typeof MEMBER_ACTIONS)[number]
  | (typeof SCIM_ACTIONS)[number]
  | 'seat.created'
  | 'seat.removed';
