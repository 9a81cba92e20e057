import type { StatusReportMessage } from '@model-gateway/contracts';
import { type CredentialJson, credentialJson, credentialTables } from './credentials.ts';
import { type HealthJson, healthJson, statesText, troubleTables } from './health.ts';
import { formatTable } from './table.ts';
import { isoTimestamp } from './timestamp.ts';
import { type WaitingJson, waitingJson, waitingTable } from './waiting-calls.ts';

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
    /** When it was last known to be live; null while it is. After a day it is forgotten. */
    ended_at: string | null;
    /** Credential variables of providers that the data plane lacks. */
    missing_credentials: string[];
  }[];
  /** The credential of every provider that needs one. */
  credentials: CredentialJson[];
  /** The calls that wait for providers, those that wait the longest first. */
  waiting: WaitingJson[];
  /** Null when the control plane is of an earlier release. */
  health: HealthJson | null;
}

export function statusJson(report: StatusReportMessage): StatusJson {
  const credentials = report.credentials.map(credentialJson);
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
      missing_credentials: plane.missingCredentials,
    })),
    credentials,
    waiting: report.waitingCalls.map(waitingJson),
    health: healthJson(report.health, credentials),
  };
}

export function statusText(status: StatusJson): string {
  const { health } = status;
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
      ...(health === null
        ? []
        : [
            ['providers', statesText(health.providers)],
            ['models', statesText(health.models)],
            ['health', health.sentence],
          ]),
    ],
  );
  const troubles = health === null ? [] : troubleTables(health);
  return [
    summary,
    ...troubles,
    ...planesTable(status),
    ...credentialTables(status.credentials),
    ...waitingTable(status.waiting),
  ].join('\n');
}

function planesTable({ data_planes: planes }: StatusJson): string[] {
  if (planes.length === 0) return [];
  const isLacking = planes.some(({ missing_credentials: missing }) => missing.length > 0);
  const table = formatTable(
    ['DATA PLANE', 'CONTROL PLANE', 'KEY REVISION', 'STATE', ...(isLacking ? ['LACKS'] : [])],
    planes.map((plane) => [
      plane.instance_id,
      plane.control_plane_id,
      String(plane.acked_revision),
      plane.ended_at === null ? (plane.live ? 'live' : 'gone') : `gone since ${plane.ended_at}`,
      ...(isLacking ? [plane.missing_credentials.join(', ')] : []),
    ]),
  );
  return [table];
}
