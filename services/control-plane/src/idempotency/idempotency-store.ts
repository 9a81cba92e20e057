import { z } from 'zod';
import { PrismaStore, queryRows, type Transaction } from '../database/prisma-store.ts';

/** An Idempotency-Key of a caller, and the request for which it is used. */
export interface Claim {
  /** Admin key, or sign-in of a user of the console. */
  callerId: string;
  key: string;
  /** Hex SHA-256 of method, path, query and body. */
  request: string;
}

export interface StoredClaim {
  request: string;
  /** Status and body of the response, encrypted. */
  response: Buffer;
}

const claimRows = z.array(
  z.object({
    request: z.string(),
    response: z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes)),
  }),
);
const insertedRows = z.array(z.object({ key: z.string() }));
/** Claims that one run of the clean-up deletes at most. */
const PRUNED = 10_000;

export class IdempotencyStore extends PrismaStore {
  /** Finds a claim of the last 24 hours. */
  async find({ callerId, key }: Pick<Claim, 'callerId' | 'key'>): Promise<StoredClaim | undefined> {
    const [found] = await this.query(claimRows)`
      SELECT request, answer AS response FROM idempotency_claims
      WHERE admin_key_id = ${callerId} AND key = ${key} AND created_at > now() - interval '24 hours'`;
    return found;
  }

  /** Claims the key of a request that has changed nothing. @returns false if another one has claimed it */
  async insert(claim: Claim, response: Buffer): Promise<boolean> {
    return await this.prisma.$transaction((transaction) => insertClaim(transaction, claim, response));
  }

  /** Replaces the response of a claim by the one that was sent. */
  async setResponse({ callerId, key, request }: Claim, response: Buffer): Promise<void> {
    await this.prisma.$executeRaw`
      UPDATE idempotency_claims SET answer = ${response}
      WHERE admin_key_id = ${callerId} AND key = ${key} AND request = ${request}`;
  }

  /** Deletes claims after 24 hours. */
  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM idempotency_claims WHERE (admin_key_id, key) IN (
        SELECT admin_key_id, key FROM idempotency_claims
        WHERE created_at <= now() - interval '24 hours' LIMIT ${PRUNED}
      )`;
  }
}

/**
 * Claims an Idempotency-Key in the transaction of the change that it names. Waits for a concurrent request
 * with the same key.
 * @returns false if another request has claimed it
 */
export async function insertClaim(
  transaction: Transaction,
  claim: Claim,
  response: Buffer,
): Promise<boolean> {
  const inserted = await queryRows(transaction, insertedRows)`
    INSERT INTO idempotency_claims AS c (admin_key_id, key, request, answer)
    VALUES (${claim.callerId}, ${claim.key}, ${claim.request}, ${response})
    ON CONFLICT (admin_key_id, key) DO UPDATE
    SET request = excluded.request, answer = excluded.answer, created_at = now()
    WHERE c.created_at <= now() - interval '24 hours' RETURNING key`;
  return inserted.length === 1;
}
