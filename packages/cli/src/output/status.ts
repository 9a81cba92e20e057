import type { StatusReportMessage } from '@model-gateway/contracts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';

export interface StatusJson {
  version: string;
  uptime_seconds: number;
  key_revision: number;
  catalog_revision: number;
  accounts: number;
  active_keys: number;
  providers: number;
  models: number;
  data_planes: {
    instance_id: string;
    control_plane_id: string;
    acked_revision: number;
    live: boolean;
    /** When it was last known to be; null: it is live. A day later it is forgotten. */
    ended_at: string | null;
  }[];
}

export function statusJson(report: StatusReportMessage): StatusJson {
  return {
    version: report.version,
    uptime_seconds: Number(report.uptimeSeconds),
    key_revision: Number(report.keyRevision),
    catalog_revision: Number(report.catalogRevision),
    accounts: report.accounts,
    active_keys: report.activeKeys,
    providers: report.providers,
    models: report.models,
    data_planes: report.dataPlanes.map((plane) => ({
      instance_id: plane.instanceId,
      control_plane_id: plane.controlPlaneId,
      acked_revision: Number(plane.ackedRevision),
      live: plane.live,
      ended_at: plane.endedAtMs === undefined ? null : isoTimestamp(plane.endedAtMs),
    })),
  };
}

export function statusText(status: StatusJson): string {
  const live = status.data_planes.filter((plane) => plane.live).length;
  const summary = formatTable(
    ['control plane', `version ${status.version}, up ${status.uptime_seconds} s`],
    [
      ['accounts', `${status.accounts}, with ${status.active_keys} active keys`],
      ['keys', `revision ${status.key_revision}`],
      [
        'catalog',
        `revision ${status.catalog_revision}: ${status.providers} providers, ${status.models} models`,
      ],
      ['data planes', `${live} live`],
    ],
  );
  if (status.data_planes.length === 0) return summary;
  const planes = formatTable(
    ['DATA PLANE', 'CONTROL PLANE', 'KEY REVISION', 'STATE'],
    status.data_planes.map((plane) => [
      plane.instance_id,
      plane.control_plane_id,
      String(plane.acked_revision),
      plane.ended_at === null ? (plane.live ? 'live' : 'gone') : `gone since ${plane.ended_at}`,
    ]),
  );
  return `${summary}\n${planes}`;
}
