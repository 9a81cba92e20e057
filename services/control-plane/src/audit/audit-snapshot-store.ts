import { z } from 'zod';
import { openSnapshot, type ReadSnapshot } from '../database/read-snapshot-store.ts';
import type { ChainEnds, StoredEvent } from './verify-chain.ts';

/** Small enough that hashing a page does not delay other work of the process. */
const PAGE_ROWS = 500;

const bigint = z.coerce.bigint();
const chainRows = z.array(
  z
    .object({
      chain: z.int(),
      position: bigint,
      hash: z.string(),
      start_position: bigint,
      start_hash: z.string(),
    })
    .transform(
      ({ chain, position, hash, start_position, start_hash }): ChainEnds => ({
        chain,
        head: { position, hash },
        start: { position: start_position, hash: start_hash },
      }),
    ),
);
const eventRows = z.array(
  z
    .looseObject({ id: z.string(), chain: z.int(), position: bigint, at: z.unknown(), hash: z.string() })
    .transform(({ chain, position, hash, ...columns }) => ({
      chain,
      position,
      hash,
      id: columns.id,
      columns: { ...columns, at: timestampOf(columns.at) },
    })),
);

export class AuditSnapshotStore {
  readonly #databaseUrl: string;

  constructor(databaseUrl: string) {
    this.#databaseUrl = databaseUrl;
  }

  /** Opens a consistent view, so that a check never meets half of a change. @param signal cancels a query */
  async open(signal: AbortSignal): Promise<AuditSnapshot> {
    return new AuditSnapshot(await openSnapshot(this.#databaseUrl, signal));
  }
}

export class AuditSnapshot implements AsyncDisposable {
  readonly #snapshot: ReadSnapshot;

  constructor(snapshot: ReadSnapshot) {
    this.#snapshot = snapshot;
  }

  async chains(): Promise<ChainEnds[]> {
    return chainRows.parse(
      await this.#snapshot.query(
        'SELECT chain, position, hash, start_position, start_hash FROM audit_chains ORDER BY chain',
      ),
    );
  }

  /** Yields all events of a chain in the order of their positions. */
  async *events(chain: number): AsyncGenerator<StoredEvent[]> {
    for (let after: bigint | undefined; ; ) {
      const page = eventRows.parse(
        await this.#snapshot.query(
          `SELECT * FROM audit_events WHERE chain = $1 AND ($2::bigint IS NULL OR position > $2)
           ORDER BY position LIMIT ${PAGE_ROWS}`,
          [chain, after ?? null],
        ),
      );
      yield page;
      if (page.length < PAGE_ROWS) return;
      after = page.at(-1)?.position;
    }
  }

  /** Finds the first event in a chain that does not exist. */
  async stray(): Promise<{ id: string; chain: number; position: bigint } | undefined> {
    const [stray] = eventRows.parse(
      await this.#snapshot.query(
        `SELECT * FROM audit_events e WHERE NOT EXISTS (SELECT FROM audit_chains c WHERE c.chain = e.chain)
         ORDER BY chain, position LIMIT 1`,
      ),
    );
    return stray;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#snapshot[Symbol.asyncDispose]();
  }
}

/** Returns the time as it was hashed; anything else, such as `infinity`, as text. */
function timestampOf(at: unknown): string {
  return at instanceof Date && !Number.isNaN(at.getTime()) ? at.toISOString() : String(at);
}
