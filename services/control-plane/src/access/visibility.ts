import type { UserActor } from '../actors/actor.ts';

/** Keys, and their usage, that a user may see. */
export interface Visibility {
  accountId: string;
  /** Member whose keys are visible; undefined: all keys of the account. */
  memberId: string | undefined;
}

/** Returns the keys that a user may see: a developer those that it made, and a user without a role none. */
export function visibilityOf({ accountId, memberId = '', role = 'developer' }: UserActor): Visibility {
  return { accountId, memberId: role === 'developer' ? memberId : undefined };
}
