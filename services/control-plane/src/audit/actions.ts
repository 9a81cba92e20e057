/** Actions of audit events, in the style of OpenAI's audit log: what, then what happened to it. */
export const AUDIT_ACTIONS = [
  'catalog.added',
  'catalog.applied',
  'catalog.removed',
  'credential.removed',
  'credential.set',
  'invite.accepted',
  'invite.deleted',
  'invite.sent',
  'seat.created',
  'seat.moved',
  'seat.removed',
  'team.created',
  'team.deleted',
  'team.updated',
] as const;
