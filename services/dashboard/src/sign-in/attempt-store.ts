import { createHash } from 'node:crypto';
import type { PrismaClient } from '@model-gateway/database';
import { randomBase62 } from '@model-gateway/shared';
import { z } from 'zod';
import { triedTooOften } from '../errors/sign-in-errors.ts';
import { signInUnavailable } from './sign-in-unavailable.ts';

export interface AttemptLimit {
  /** The action, such as `sign-in`, and its subject, such as an e-mail address. */
  what: string;
  whose: string;
  max: number;
}

const WINDOW_MS = 15 * 60_000;

const counted = z.array(z.object({ count: z.number(), last_request: z.bigint() })).length(1);

/** Counts how often something was tried lately, for all servers of the dashboard together. */
export class AttemptStore {
  readonly #prisma: PrismaClient;

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma;
  }

  /**
   * Counts an attempt, whatever its result. The row says when its window ends. The table belongs to the
   * sign-in library, which removes old rows.
   * @throws DashboardError rate_limit_exceeded, service_unavailable
   */
  async count({ what, whose, max }: AttemptLimit): Promise<void> {
    const nowMs = Date.now();
    const endMs = nowMs + WINDOW_MS;
    const rows = await signInUnavailable(
      this.#prisma.$queryRaw`
        INSERT INTO dashboard_rate_limits (id, key, count, last_request)
        VALUES (${randomBase62(32)}, ${keyOf(what, whose)}, 1, ${endMs})
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

  /** Forgets earlier failures after a success. @throws DashboardError service_unavailable */
  async forget({ what, whose }: Pick<AttemptLimit, 'what' | 'whose'>): Promise<void> {
    await signInUnavailable(
      this.#prisma.dashboardRateLimit.deleteMany({ where: { key: keyOf(what, whose) } }),
    );
  }
}

/** The key is hashed, so that nobody can read what somebody has typed into a sign-in form. */
function keyOf(what: string, whose: string): string {
  return `${what}:${createHash('sha256').update(whose).digest('base64url')}`;
}
