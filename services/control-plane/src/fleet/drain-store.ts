import { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { recordChange } from '../audit/record-change.ts';
import { PrismaStore, queryRows } from '../database/prisma-store.ts';
import { type DataPlaneReport, dataPlaneReport } from './process-report.ts';
import { SILENT_AFTER } from './process-report-store.ts';

const drainOrders = z.array(z.object({ id: z.string(), drained: z.boolean() }));
const drainStates = z.array(z.object({ report: dataPlaneReport, drainedAt: z.date().nullable() }));

/** Stores which data planes operators want out of traffic. */
export class DrainStore extends PrismaStore {
  /** Returns the orders that these data planes have not followed yet. */
  async openOrders(ids: readonly string[]): Promise<{ id: string; drained: boolean }[]> {
    return await this.query(drainOrders)`
      SELECT id, drained_at IS NOT NULL AS drained FROM reported_processes
      WHERE id = ANY(${[...ids]}::text[]) AND (drained_at IS NOT NULL) <> (report->>'drained')::boolean`;
  }

  /**
   * Takes a data plane out of traffic, or back, and tells the control planes.
   * @returns its last report; undefined if no such data plane runs
   */
  async setDrained(actor: Actor, id: string, drained: boolean): Promise<DataPlaneReport | undefined> {
    return await this.prisma.$transaction(async (transaction) => {
      const [row] = await queryRows(transaction, drainStates)`
        SELECT report, drained_at AS "drainedAt" FROM reported_processes
        WHERE id = ${id} AND kind = 'data_plane' AND reported_at > now() - ${SILENT_AFTER}::interval
        FOR UPDATE`;
      if (row === undefined) return undefined;
      await transaction.$executeRaw`
        UPDATE reported_processes
        SET drained_at = CASE WHEN ${drained} THEN COALESCE(drained_at, now()) END WHERE id = ${id}`;
      await transaction.$queryRaw`SELECT pg_notify('gateway_drains', '')::text`;
      const { host, version } = row.report;
      const resource = (isDrained: boolean) => ({
        object: 'data_plane',
        id,
        host,
        version,
        drained: isDrained,
      });
      await recordChange(transaction, actor, {
        action: drained ? 'data_plane.drained' : 'data_plane.undrained',
        object: { type: 'data_plane', id, name: host },
        accountId: null,
        before: resource(row.drainedAt !== null),
        after: resource(drained),
      });
      return row.report;
    });
  }
}
