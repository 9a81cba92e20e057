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

export type AuditAction = (typeof ACCOUNT_ACTIONS)[number] | (typeof ADMIN_KEY_ACTIONS)[number];
