import type { Prisma } from '@model-gateway/database';
import { z } from 'zod';
import { ControlPlaneError } from '../control-plane-error.ts';
import type { StoredKey } from './key-store.ts';
import { HASHES, type StoredHashes } from './stored-hashes.ts';

export interface NewKey extends StoredHashes {
  id: string;
  accountId: string;
  /** An active seat of that account. */
  seatId: string | undefined;
  name: string;
  displayPrefix: string;
}

const seatRows = z.array(z.object({ accountId: z.string(), removed: z.boolean() }));

/**
 * @param transaction holds a lock on the key's account
 * @throws ControlPlaneError as KeyStore.create
 */
export async function insertKey(
  transaction: Prisma.TransactionClient,
  { seatId, ...key }: NewKey & { kind?: 'playground'; expiresAt?: Date },
): Promise<StoredKey> {
  if (seatId !== undefined) await lockSeat(transaction, seatId, key.accountId);
  const data = { ...key, ...(seatId === undefined ? {} : { seatId }) };
  return await transaction.apiKey.create({ data, omit: HASHES });
}

/** Keeps the seat and its team as they are until the transaction ends. @throws ControlPlaneError */
async function lockSeat(
  transaction: Prisma.TransactionClient,
  seatId: string,
  accountId: string,
): Promise<void> {
  const [seat] = seatRows.parse(
    await transaction.$queryRaw`
      SELECT s.account_id AS "accountId", s.removed_at IS NOT NULL AS removed
      FROM seats s JOIN teams t ON t.id = s.team_id
      WHERE s.id = ${seatId} FOR SHARE OF s, t`,
  );
  if (seat === undefined) throw new ControlPlaneError('not_found', `there is no seat ${seatId}`);
  if (seat.accountId !== accountId)
    throw new ControlPlaneError('invalid_argument', `the seat ${seatId} is another account's`);
  if (seat.removed) throw new ControlPlaneError('failed_precondition', `the seat ${seatId} has been removed`);
}
