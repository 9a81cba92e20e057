import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import type { SealedKey } from './contents-seal.ts';

/** Rows that one statement deletes. */
const CHUNK_ROWS = 500;
/** One run of the clean-up stops after this time; the next one continues. */
const PRUNE_MS = 20_000;

const bytes = z.instanceof(Uint8Array);
const keyColumns = {
  id: z.bigint(),
  accountId: z.string(),
  sealed: bytes,
  previousSealed: bytes.nullable(),
  pepperFingerprint: z.string(),
};
const keyRows = z.array(z.object(keyColumns));
const foundRows = z.array(
  z.object({ ...keyColumns, days: z.int(), storedAt: z.date().nullable(), contents: bytes.nullable() }),
);
const idRows = z.array(z.object({ id: z.bigint() }));
const addedRows = z.tuple([z.object({ inUse: z.int(), full: z.int() })]);
const deletedRows = z.tuple([z.object({ deleted: z.int() })]);

export interface ContentsKey extends SealedKey {
  id: bigint;
  accountId: string;
}

export interface NewContents {
  keyId: bigint;
  requestId: string;
  sealed: Buffer;
}

/** The contents of a request, and the key that opens them. */
export interface FoundContents {
  key: ContentsKey;
  /** Undefined: nothing is stored. */
  stored: { sealed: Uint8Array; storedAt: Date; expiresAt: Date } | undefined;
}

const DAY_MS = 86_400_000;

/** Stores encrypted contents of requests. */
export class ContentsStore extends PrismaStore {
  /** Returns those of the keys that are in use. */
  async keysInUse(ids: readonly bigint[]): Promise<ContentsKey[]> {
    return await this.query(keyRows)`
      SELECT id, account_id AS "accountId", sealed, previous_sealed AS "previousSealed",
        pepper_fingerprint AS "pepperFingerprint"
      FROM contents_keys WHERE id = ANY(${[...ids]}::bigint[]) AND sealed IS NOT NULL`;
  }

  /**
   * Stores contents whose key is in use, also at the commit, and has less than the maximum. Keeps those of a
   * repeated call.
   * @returns how many were not stored because their key is not in use, and because it has too many
   */
  async add(contents: readonly NewContents[], maxBytes: number): Promise<{ off: number; full: number }> {
    const keyIds = contents.map(({ keyId }) => keyId);
    const requestIds = contents.map(({ requestId }) => requestId);
    const sealed = contents.map((each) => each.sealed.toString('base64'));
    const [{ full, inUse }] = await this.query(addedRows)`
      WITH keys AS MATERIALIZED (
        SELECT id, stored_bytes >= ${maxBytes}::bigint AS "isFull" FROM contents_keys
        WHERE id = ANY(${keyIds}::bigint[]) AND sealed IS NOT NULL
        ORDER BY id FOR NO KEY UPDATE
      ), given AS (
        SELECT given.*, keys."isFull"
        FROM unnest(${keyIds}::bigint[], ${requestIds}::text[], ${sealed}::text[])
          AS given (key_id, request_id, sealed) JOIN keys ON keys.id = given.key_id
      ), added AS (
        INSERT INTO request_contents (key_id, request_id, sealed)
        SELECT key_id, request_id, decode(sealed, 'base64') FROM given WHERE NOT "isFull" ORDER BY 1, 2
        ON CONFLICT DO NOTHING RETURNING key_id, octet_length(sealed) AS bytes
      ), counted AS (
        UPDATE contents_keys k SET stored_bytes = stored_bytes + a.bytes
        FROM (SELECT key_id, sum(bytes) AS bytes FROM added GROUP BY key_id) AS a WHERE k.id = a.key_id
      )
      SELECT count(*)::int AS "inUse", (count(*) FILTER (WHERE "isFull"))::int AS full FROM given`;
    return { off: contents.length - inUse, full };
  }

  /**
   * Finds the contents of a request that are not older than the account wants.
   * @returns undefined: contents are off
   */
  async find(accountId: string, requestId: string): Promise<FoundContents | undefined> {
    const [row] = await this.query(foundRows)`
      SELECT k.id, k.account_id AS "accountId", k.sealed, k.previous_sealed AS "previousSealed",
        k.pepper_fingerprint AS "pepperFingerprint", k.days, c.stored_at AS "storedAt", c.sealed AS contents
      FROM contents_keys k LEFT JOIN request_contents c ON c.key_id = k.id AND c.request_id = ${requestId}
        AND c.stored_at > now() - k.days * interval '1 day'
      WHERE k.account_id = ${accountId} AND k.sealed IS NOT NULL`;
    if (row === undefined) return undefined;
    const { contents, days, storedAt, ...key } = row;
    if (contents === null || storedAt === null) return { key, stored: undefined };
    const expiresAt = new Date(storedAt.getTime() + days * DAY_MS);
    return { key, stored: { sealed: contents, storedAt, expiresAt } };
  }

  /**
   * Deletes contents that are older than their account wants, and all whose key was destroyed.
   * @param accountId undefined: of all accounts
   */
  async prune(accountId?: string): Promise<void> {
    const untilMs = Date.now() + PRUNE_MS;
    const keys = await this.query(idRows)`
      SELECT id FROM contents_keys WHERE account_id = ${accountId ?? null} OR ${accountId === undefined}
      ORDER BY id`;
    for (const { id } of keys) await this.#pruneKey(id, untilMs);
  }

  /** Deletes a destroyed key after its last contents. */
  async #pruneKey(keyId: bigint, untilMs: number): Promise<void> {
    for (let deleted = CHUNK_ROWS; deleted === CHUNK_ROWS; ) {
      if (Date.now() > untilMs) return;
      [{ deleted }] = await this.query(deletedRows)`
        WITH key AS MATERIALIZED (
          SELECT id, CASE WHEN sealed IS NULL THEN 'infinity' ELSE now() - days * interval '1 day' END AS until
          FROM contents_keys WHERE id = ${keyId} FOR NO KEY UPDATE
        ), gone AS (
          DELETE FROM request_contents WHERE ctid = ANY(ARRAY(
            SELECT c.ctid FROM key JOIN request_contents c ON c.key_id = key.id AND c.stored_at <= key.until
            LIMIT ${CHUNK_ROWS} FOR UPDATE OF c SKIP LOCKED
          )) RETURNING octet_length(sealed) AS bytes
        ), counted AS (
          UPDATE contents_keys SET stored_bytes = greatest(0, stored_bytes - (SELECT sum(bytes) FROM gone))
          WHERE id = ${keyId} AND EXISTS (SELECT FROM gone)
        )
        SELECT count(*)::int AS deleted FROM gone`;
    }
    await this.prisma.$executeRaw`
      DELETE FROM contents_keys k WHERE id = ${keyId} AND sealed IS NULL
        AND NOT EXISTS (SELECT FROM request_contents WHERE key_id = k.id)`;
  }

  /** Seals keys again. @param renew returns undefined for a key that stays as it is */
  async renew(renew: (key: ContentsKey) => SealedKey | undefined): Promise<void> {
    const keys = await this.query(keyRows)`
      SELECT id, account_id AS "accountId", sealed, previous_sealed AS "previousSealed",
        pepper_fingerprint AS "pepperFingerprint"
      FROM contents_keys WHERE sealed IS NOT NULL`;
    for (const key of keys) {
      const renewed = renew(key);
      if (renewed === undefined) continue;
      // The seal that was read: another control plane may have been faster, or the owner turned contents off.
      await this.prisma.$executeRaw`
        UPDATE contents_keys SET sealed = ${renewed.sealed}, previous_sealed = ${renewed.previousSealed},
          pepper_fingerprint = ${renewed.pepperFingerprint}
        WHERE id = ${key.id} AND sealed = ${key.sealed}`;
    }
  }
}
