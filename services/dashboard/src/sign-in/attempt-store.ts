import { createHash } from 'node:crypto';
import type { PrismaClient } from '@model-gateway/database';
import { randomBase62 } from '@model-gateway/shared';
import { z } from 'zod';
import { triedTooOften } from '../errors/sign-in-errors.ts';
import { mapStoreFailure } from './map-store-failure.ts';

export interface AttemptLimit {
  /** Such as `sign-in`. */
  action: string;
  /** Whose attempts are counted, such as an e-mail address. */
  subject: string;
  max: number;
}

const WINDOW_MS = 15 * 60_000;

const counted = z.array(z.object({ count: z.number(), last_request: z.bigint() })).length(1);

/** Counts attempts in 15 minutes, across all dashboard servers. */
export class AttemptStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Counts an attempt. `last_request` holds the end of the window: the table is the sign-in library's, which
   * deletes old rows.
   * @throws DashboardError rate_limit_exceeded, service_unavailable
   */
  async count({ action, subject, max }: AttemptLimit): Promise<void> {
    const nowMs = Date.now();
    const endMs = nowMs + WINDOW_MS;
    const rows = await mapStoreFailure(
      this.#prisma.$queryRaw`
        INSERT INTO dashboard_rate_limits (id, key, count, last_request)
        VALUES (${randomBase62(32)}, ${keyOf({ action, subject })}, 1, ${endMs})
        ON CONFLICT (key) DO UPDATE SET
          count = CASE WHEN dashboard_rate_limits.last_request <= ${nowMs} THEN 1
            ELSE dashboard_rate_limits.count + 1 END,
          last_request = CASE WHEN dashboard_rate_limits.last_request <= ${nowMs} THEN ${endMs}
            ELSE dashboard_rate_limits.last_request END
        RETURNING count, last_request`,
    );
    const [row] = counted.parse(rows);
    if (row === undefined || row.count <= max) return;
    throw triedTooOften(Math.max(1, Math.ceil((Number(row.last_request) - nowMs) / 1_000)));
  }

  /** Deletes the count, after a success. @throws DashboardError service_unavailable */
  async forget(limit: AttemptLimit): Promise<void> {
    await mapStoreFailure(this.#prisma.dashboardRateLimit.deleteMany({ where: { key: keyOf(limit) } }));
  }
}

/** Hashes the subject, so that the table contains nothing that was typed into a form. */
function keyOf({ action, subject }: Omit<AttemptLimit, 'max'>): string {
  return `${action}:${createHash('sha256').update(subject).digest('base64url')}`;
}
