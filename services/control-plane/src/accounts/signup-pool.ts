import { newId } from '@model-gateway/shared';
import type { NewPool } from '../pools/pool-store.ts';

/** The money that every new account gets; `included` in nano-USD, 0: nothing. */
export type SignupPool = Pick<NewPool, 'included' | 'resets'>;

export function newSignupPool(accountId: string, { included, resets }: SignupPool): NewPool | undefined {
  if (included === 0n) return undefined;
  const owner = { kind: 'account', id: accountId } as const;
  return { id: newId('pool'), name: 'Included with sign-up', owner, included, resets };
}
