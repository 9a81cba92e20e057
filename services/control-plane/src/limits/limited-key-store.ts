import type { ReadingPool } from '@model-gateway/database';
import type { LimitedKey } from '@model-gateway/limits';
import { DEFAULT_CALENDAR } from '@model-gateway/shared/rules';
import { z } from 'zod';
import type { Visibility } from '../access/visibility.ts';
import { isMadeBy } from '../access/visible-keys-store.ts';
import { effectiveLimits } from '../accounts/effective-limits.ts';
import { LEVELS_OF_KEY } from '../data-planes/levels-of-key-store.ts';
import { ReadingStore } from '../database/reading-store.ts';
import { resolveRules, storedRules } from '../rules/resolved-rules.ts';
import { rulesColumns } from '../rules/rules-columns-store.ts';

export interface LimitedHolderKey extends LimitedKey {
  accountId: string;
  seatId: string | undefined;
  name: string;
}

const ownLimit = z.int().nullable();
const keyRows = z.array(
  z.object({
    id: z.string(),
    name: z.string(),
    accountId: z.string(),
    seatId: z.string().nullable(),
    teamId: z.string().nullable(),
    freePerMinute: ownLimit,
    paidPerMinute: ownLimit,
    readsPerMinute: ownLimit,
    concurrentStreams: ownLimit,
    teamPerMinute: ownLimit,
    ...storedRules.shape,
  }),
);

const MAX_LISTED = 1_000;

export class LimitedKeyStore extends ReadingStore {
  readonly #concurrentStreams: number;

  /** @param concurrentStreams the streams that a key may have open when its account has no own limit */
  constructor(reads: ReadingPool, concurrentStreams: number) {
    super(reads);
    this.#concurrentStreams = concurrentStreams;
  }

  /** Lists up to 1,000 visible active keys, newest first. */
  async list({ accountId, memberId }: Visibility, signal: AbortSignal): Promise<LimitedHolderKey[]> {
    const rows = await this.query(keyRows, signal)`
      SELECT k.id, k.name, k.account_id AS "accountId", k.seat_id AS "seatId", s.team_id AS "teamId",
        a.free_per_minute AS "freePerMinute", a.paid_per_minute AS "paidPerMinute",
        a.reads_per_minute AS "readsPerMinute", a.concurrent_streams AS "concurrentStreams",
        t.requests_per_minute AS "teamPerMinute", ${rulesColumns(LEVELS_OF_KEY)}
      FROM api_keys k
      JOIN accounts a ON a.id = k.account_id
      LEFT JOIN seats s ON s.id = k.seat_id
      LEFT JOIN teams t ON t.id = s.team_id
      WHERE k.account_id = ${accountId} AND ${isMadeBy('k', { memberId })} AND k.kind = 'issued' AND k.revoked_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now())
      ORDER BY k.created_at DESC, k.id LIMIT ${MAX_LISTED}`;
    return rows.map(({ id, name, seatId, teamId, teamPerMinute, ...row }) => {
      const limits = effectiveLimits(row, this.#concurrentStreams);
      const resolved = resolveRules(row, () => DEFAULT_CALENDAR);
      return {
        keyId: id,
        name,
        accountId: row.accountId,
        seatId: seatId ?? undefined,
        teamId: teamId ?? undefined,
        limits: {
          ...limits,
          concurrentStreams: Math.min(
            limits.concurrentStreams,
            resolved?.streams ?? limits.concurrentStreams,
          ),
          teamPerMinute: teamPerMinute ?? undefined,
        },
        rules: resolved?.message,
      };
    });
  }
}
