import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';

const nameRows = z.array(z.object({ id: z.string(), name: z.string() }));

export class NameStore extends ReadingStore {
  /** @returns by id: the e-mail address of accounts and of holders of seats, the name of teams and keys */
  async ofIds(ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
    const rows = await this.query(nameRows, signal)`
      WITH wanted AS (SELECT unnest(${[...ids]}::text[]) AS id)
      SELECT a.id, a.email AS name FROM wanted JOIN accounts a USING (id) WHERE a.deleted_at IS NULL
      UNION ALL SELECT t.id, t.name FROM wanted JOIN teams t USING (id)
      UNION ALL SELECT k.id, k.name FROM wanted JOIN api_keys k USING (id)
      UNION ALL
      SELECT s.id, a.email FROM wanted JOIN seats s USING (id) JOIN accounts a ON a.id = s.account_id
      WHERE a.deleted_at IS NULL`;
    return new Map(rows.map(({ id, name }) => [id, name]));
  }
}
