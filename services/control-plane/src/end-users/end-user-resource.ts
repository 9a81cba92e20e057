import { createHash } from 'node:crypto';
import { endUserOwner } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { RecordedChange } from '../audit/record-change.ts';
import { optionalTimestamp, timestamp } from '../timestamps.ts';
import type { StoredEndUser } from './stored-end-user.ts';

/** End user of an account as the management API shows it. */
export const endUserResourceSchema = z.object({
  object: z.literal('end_user'),
  /** Id in requests. */
  id: z.string(),
  account_id: z.string(),
  external_id: z.string().nullable(),
  /** False: the account's template for its end users applies. */
  has_rules: z.boolean(),
  /** Null: nobody created it; rules or requests name it. */
  created_at: timestamp.nullable(),
});
export type EndUserResource = z.infer<typeof endUserResourceSchema>;

export function endUserResource(endUser: StoredEndUser): EndUserResource {
  return {
    object: 'end_user',
    id: endUser.id,
    account_id: endUser.accountId,
    external_id: endUser.externalId,
    has_rules: endUser.hasRules,
    created_at: optionalTimestamp(endUser.createdAt),
  };
}

/**
 * Describes a change of an end user. Its audit event outlives the end user, so it shows an alias of the id.
 */
export function endUserChange(
  action: RecordedChange['action'],
  before: StoredEndUser | null,
  after: StoredEndUser | null,
): RecordedChange {
  const known = after ?? before;
  if (known === null) throw new Error('an end user change needs an end user before or after it');
  const { accountId, id } = known;
  const alias = endUserAlias(accountId, id);
  const shown = (endUser: StoredEndUser | null) => endUser && endUserResource(endUser);
  const inEvent = (endUser: StoredEndUser | null) => endUser && { ...endUserResource(endUser), id: alias };
  return {
    action,
    object: { type: 'end_user', id, name: '' },
    accountId,
    before: shown(before),
    after: shown(after),
    inEvent: {
      object: { type: 'end_user', id: alias, name: '' },
      before: inEvent(before),
      after: inEvent(after),
    },
  };
}

/** Returns a hash of the id. Only those who know the id can find the end user by it. */
export function endUserAlias(accountId: string, endUser: string): string {
  return createHash('sha256').update(endUserOwner(accountId, endUser)).digest('hex').slice(0, 32);
}
