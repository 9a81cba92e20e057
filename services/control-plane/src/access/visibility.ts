import type { UserActor } from '../actors/actor.ts';

/** Keys, and their usage, that a user may see. */
export interface Visibility {
  accountId: string;
  /** Only keys that this member made; undefined: all of the account. */
  memberId: string | undefined;
}

/** A developer sees its own keys and usage alone; without a role, nothing. */
export function visibilityOf({ accountId, memberId = '', role = 'developer' }: UserActor): Visibility {
  return { accountId, memberId: role === 'developer' ? memberId : undefined };
}
