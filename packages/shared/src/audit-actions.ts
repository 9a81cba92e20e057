/** Actions of audit events about accounts, keys, rules and pools (docs/audit.md). */
export const ACCOUNT_ACTIONS = [
  'account.claimed',
  'account.created',
  'account.deleted',
  'account.purged',
  'account.resumed',
  'account.suspended',
  'account.updated',
  'account.viewed',
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

/** Actions of events about members of accounts and roles in the installation. */
export const MEMBER_ACTIONS = [
  'member.added',
  'member.invited',
  'member.joined',
  'member.removed',
  'member.role_changed',
  'role.granted',
  'role.revoked',
] as const;

/** Actions of events about users, groups and tokens of identity providers (docs/sso-and-scim.md). */
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

/** Actions of events about teams, their seats and invitations. */
export const TEAM_ACTIONS = [
  'invite.accepted',
  'invite.deleted',
  'invite.sent',
  'seat.created',
  'seat.moved',
  'seat.removed',
  'seat.updated',
  'team.created',
  'team.deleted',
  'team.updated',
] as const;

/** Actions of events about the catalog, price lists and credentials of providers. */
export const CATALOG_ACTIONS = [
  'catalog.added',
  'catalog.applied',
  'catalog.removed',
  'credential.removed',
  'credential.set',
  'price_list.changed',
  'price_list.created',
  'price_list.deleted',
] as const;

/** Actions of events about processes of the installation. */
export const FLEET_ACTIONS = ['data_plane.drained', 'data_plane.undrained'] as const;

/** Sign-ins that anybody may try as often as it likes. */
export const SIGN_IN_ATTEMPTS = ['login.failed', 'login.succeeded'] as const;

/** Changes of sign-ins, by a user who proved who it is. */
const SIGN_IN_CHANGES = [
  'backup_codes.renewed',
  'logout.succeeded',
  'passkey.added',
  'passkey.removed',
  'password.changed',
  'password.reset',
  'session.ended',
  'totp.added',
  'totp.removed',
] as const;

/** About sign-ins; all but a failed one are by a user who proved who it is. */
export const SIGN_IN_ACTIONS = [...SIGN_IN_ATTEMPTS, ...SIGN_IN_CHANGES] as const;

/** About keys of the management API. */
export const ADMIN_KEY_ACTIONS = ['admin_key.created', 'admin_key.revoked'] as const;

/** Actions of events about contents of requests: turned on or off by the owner, and each look at them. */
export const CONTENTS_ACTIONS = ['contents.turned_off', 'contents.turned_on', 'contents.viewed'] as const;

/** Actions of events about end users of accounts. */
export const END_USER_ACTIONS = ['end_user.created', 'end_user.deleted', 'end_user.updated'] as const;

/** Actions of events about webhooks (docs/webhooks.md). */
export const WEBHOOK_ACTIONS = [
  'webhook.changed',
  'webhook.created',
  'webhook.redelivered',
  'webhook.removed',
  'webhook.secret_rotated',
  'webhook.tested',
] as const;

/** Actions of events about changes. */
export type AuditAction =
  | (typeof ACCOUNT_ACTIONS)[number]
  | (typeof TEAM_ACTIONS)[number]
  | (typeof CATALOG_ACTIONS)[number]
  | (typeof FLEET_ACTIONS)[number]
  | (typeof MEMBER_ACTIONS)[number]
  | (typeof ADMIN_KEY_ACTIONS)[number]
  | (typeof SCIM_ACTIONS)[number]
  | (typeof CONTENTS_ACTIONS)[number]
  | (typeof END_USER_ACTIONS)[number]
  | (typeof WEBHOOK_ACTIONS)[number];

export type SignInAction = (typeof SIGN_IN_ACTIONS)[number];

/** Every action that events of accounts have. */
export const ACTIONS_IN_ACCOUNTS: readonly string[] = [
  ...ACCOUNT_ACTIONS,
  ...ADMIN_KEY_ACTIONS,
  ...CONTENTS_ACTIONS,
  ...END_USER_ACTIONS,
  ...MEMBER_ACTIONS,
  ...SCIM_ACTIONS,
  ...SIGN_IN_ACTIONS,
  ...TEAM_ACTIONS,
  ...WEBHOOK_ACTIONS,
].toSorted();
