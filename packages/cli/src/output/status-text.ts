import type { StatusReportMessage } from '@model-gateway/contracts';
import { credentialJson, credentialTables } from './credential-tables.ts';
import { formatTable } from './format-table.ts';
import { healthJson, statesText, troubleTables } from './health-tables.ts';
import { timestampOrNull } from './timestamp.ts';
import { waitingJson, waitingTable } from './waiting-calls-table.ts';

type StatusJson = ReturnType<typeof statusJson>;

export function statusJson(report: StatusReportMessage) {
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
      // The last time it was known to be live; null while it is live. A day later it is no longer listed.
      ended_at: timestampOrNull(plane.endedAtMs),
      missing_credentials: plane.missingCredentials,
      // Null: it has not reported, such as an earlier release.
      version: plane.version ?? null,
      host: plane.host ?? null,
      drained: plane.drained,
      open_requests: plane.openRequests,
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
    [
      'DATA PLANE',
      'HOST',
      'VERSION',
      'CONTROL PLANE',
      'KEY REVISION',
      'STATE',
      ...(isLacking ? ['LACKS'] : []),
    ],
    planes.map((plane) => [
      plane.instance_id,
      plane.host ?? '-',
      plane.version ?? '-',
      plane.control_plane_id,
      String(plane.acked_revision),
      stateOf(plane),
      ...(isLacking ? [plane.missing_credentials.join(', ')] : []),
    ]),
  );
  return [table];
}

function stateOf(plane: StatusJson['data_planes'][number]): string {
  if (plane.ended_at !== null) return `gone since ${plane.ended_at}`;
  if (!plane.live) return 'gone';
  return plane.drained ? `drained, ${plane.open_requests} requests open` : 'live';
}
