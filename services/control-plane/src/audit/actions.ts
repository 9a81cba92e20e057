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

export type AuditAction = (typeof ACCOUNT_ACTIONS | typeof MEMBER_ACTIONS)[number];
