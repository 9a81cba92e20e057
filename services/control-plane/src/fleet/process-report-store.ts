import { z } from 'zod';
import { PrismaStore } from '../database/prisma-store.ts';
import {
  type ControlPlaneReport,
  controlPlaneReport,
  type DataPlaneReport,
  dataPlaneReport,
} from './process-report.ts';

/** Reports come every 5 s. A process without one for this long has ended or cannot reach the database. */
export const SILENT_AFTER = '20 seconds';
const FORGET_AFTER = '1 day';

const stored = { id: z.string(), reportedAt: z.date(), live: z.boolean() };
const reportedDataPlane = z.object({
  ...stored,
  report: dataPlaneReport,
  /** Since when an operator wants it out of traffic. */
  drainedAt: z.date().nullable(),
});
export type ReportedDataPlane = z.infer<typeof reportedDataPlane>;
const reportedControlPlane = z.object({ ...stored, report: controlPlaneReport });
export type ReportedControlPlane = z.infer<typeof reportedControlPlane>;

/** Stores what the processes of the installation report. */
export class ProcessReportStore extends PrismaStore {
  /** @returns true if an operator wants the data plane out of traffic */
  async reportDataPlane(id: string, report: DataPlaneReport): Promise<boolean> {
    const [row] = await this.query(z.array(z.object({ drained: z.boolean() })))`
      INSERT INTO reported_processes (id, kind, report)
      VALUES (${id}, 'data_plane', ${JSON.stringify(report)}::jsonb)
      ON CONFLICT (id) DO UPDATE SET report = EXCLUDED.report, reported_at = now()
      RETURNING drained_at IS NOT NULL AS drained`;
    return row?.drained ?? false;
  }

  async reportControlPlane(id: string, report: ControlPlaneReport): Promise<void> {
    await this.prisma.$executeRaw`
      INSERT INTO reported_processes (id, kind, report)
      VALUES (${id}, 'control_plane', ${JSON.stringify(report)}::jsonb)
      ON CONFLICT (id) DO UPDATE SET report = EXCLUDED.report, reported_at = now()`;
  }

  async listDataPlanes(): Promise<ReportedDataPlane[]> {
    return await this.query(z.array(reportedDataPlane))`
      SELECT id, report, reported_at AS "reportedAt", drained_at AS "drainedAt",
        reported_at > now() - ${SILENT_AFTER}::interval AS live
      FROM reported_processes WHERE kind = 'data_plane'`;
  }

  /** Lists the running control planes, and those that ended unexpectedly within a day; oldest first. */
  async listControlPlanes(): Promise<ReportedControlPlane[]> {
    return await this.query(z.array(reportedControlPlane))`
      SELECT id, report, reported_at AS "reportedAt",
        reported_at > now() - ${SILENT_AFTER}::interval AS live
      FROM reported_processes WHERE kind = 'control_plane'
      ORDER BY live DESC, (report->>'startedAtMs')::float8, id`;
  }

  /** Forgets a process that ends. */
  async remove(id: string): Promise<void> {
    await this.prisma.reportedProcess.deleteMany({ where: { id } });
  }

  async prune(): Promise<void> {
    await this.prisma.$executeRaw`
      DELETE FROM reported_processes WHERE reported_at < now() - ${FORGET_AFTER}::interval`;
  }
}
