import type { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { queryRows } from '../database/prisma-store.ts';
import { failedPrecondition } from '../errors/control-plane-error.ts';

const lockedRows = z.array(z.object({ signInId: z.string().nullable() }));

/**
 * Locks an account so that it cannot go to another sign-in. Otherwise the losing sign-in could still create a
 * key or an invitation just after everything it gave out was revoked.
 * @param signInId must own the account; undefined: any sign-in may
 * @throws ControlPlaneError failed_precondition
 */
export async function lockAccount(
  transaction: Prisma.TransactionClient,
  accountId: string,
  signInId: string | undefined,
): Promise<void> {
  const rows = await queryRows(transaction, lockedRows)`
    SELECT sign_in_id AS "signInId" FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  if (signInId === undefined || rows[0]?.signInId === signInId) return;
  throw failedPrecondition('this sign-in has lost its account: sign in again');
}
