import { newId } from '@model-gateway/shared';
import type { NewPool } from '../pools/pool-store.ts';

/** @param included nano-USD; 0: new accounts get nothing */
export function newSignupPool(accountId: string, included: bigint): NewPool | undefined {
  if (included === 0n) return undefined;
  const owner = { kind: 'account', id: accountId } as const;
  return { id: newId('pool'), name: 'Included with sign-up', owner, included, resets: 'never' };
}
