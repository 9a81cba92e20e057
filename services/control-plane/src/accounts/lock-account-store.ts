import type { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ControlPlaneError } from '../errors/control-plane-error.ts';

const lockedRows = z.array(z.object({ signInId: z.string().nullable() }));

/**
 * Locks an account until the transaction ends, so that the account cannot go to another sign-in meanwhile.
 * Otherwise a request of a sign-in that is losing the account could still make a key or an invitation, just
 * after everything that this sign-in gave out was taken back.
 * @param signInId the sign-in that must own the account; undefined: any sign-in may
 * @throws ControlPlaneError failed_precondition
 */
export async function lockAccount(
  transaction: Prisma.TransactionClient,
  accountId: string,
  signInId: string | undefined,
): Promise<void> {
  const rows = lockedRows.parse(
    await transaction.$queryRaw`
      SELECT sign_in_id AS "signInId" FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`,
  );
  if (signInId === undefined || rows[0]?.signInId === signInId) return;
  throw new ControlPlaneError('failed_precondition', 'this sign-in has lost its account: sign in again');
}
