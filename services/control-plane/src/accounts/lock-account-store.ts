import type { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ControlPlaneError } from '../control-plane-error.ts';

const lockedRows = z.array(z.object({ signInId: z.string().nullable() }));

/**
 * Keeps the account whose it is until the transaction ends: a request of a sign-in that loses it meanwhile
 * makes no key and no invitation that is left when what the account has given out is taken back.
 * @param signInId whose the account has to be; undefined: whoever asks
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
