import { z } from 'zod';
import {
  controlPlane,
  controlPlaneOf,
  dataPlaneState,
  dataPlaneStateOf,
} from '../../fleet/process-resources.ts';
import { verifyLedger } from '../../pools/verify-ledger.ts';
import { reportStatus } from '../../status/report-status.ts';
import { optionalTimestamp, timestamp } from '../../timestamps.ts';
import { route } from '../route.ts';

const count = z.int().min(0);
const health = z.object({
  id: z.string(),
  status: z.string(),
  state: z.string(),
  sentence: z.string().nullable().describe('What is wrong. Null: nothing.'),
  since: timestamp.nullable(),
  requests_5m: count,
  gave_up_5m: count,
  success_5m: z.number().nullable().describe('Share of the responses. Null: there were none.'),
});
const fleet = z
  .object({
    object: z.literal('fleet'),
    version: z.string().describe('Version of the control plane that responds.'),
    uptime_seconds: count,
    key_revision: count,
    catalog_revision: count,
    accounts: count,
    active_keys: count,
    data_planes: z.array(
      z.object({
        instance_id: z.string(),
        control_plane_id: z.string(),
        acked_revision: count.describe('Last revision of keys that it has applied.'),
        live: z.boolean(),
        ended_at: timestamp.nullable().describe('Null: it is live, or ended just now.'),
        missing_credentials: z.array(z.string()),
        drain_ordered_at: timestamp
          .nullable()
          .describe('When an operator drained it. Null: it is in traffic.'),
        state: dataPlaneState.nullable().describe('Null: none reported, such as by an earlier release.'),
      }),
    ),
    control_planes: z.array(controlPlane),
    credentials: z.array(
      z.object({
        provider: z.string(),
        variable: z.string(),
        data_planes: z.object({ set: count, missing: count, unknown: count }),
        models: z.array(z.object({ id: z.string(), configuration: z.string() })),
      }),
    ),
    waiting: z
      .array(z.object({ model: z.string(), provider: z.string(), calls: count, longest_ms: count }))
      .describe('Calls that have waited long for a provider.'),
    providers: z.array(health),
    models: z.array(health),
  })
  .meta({ id: 'Fleet' });

export const fleetRoutes = [
  route({
    method: 'GET',
    path: '/admin/v1/fleet',
    operationId: 'getFleet',
    tag: 'Fleet',
    summary: 'Get the state of the installation',
    description: 'As `gatewayctl status` shows it.',
    scope: 'fleet:read',
    isInstallationWide: true,
    response: fleet,
    handle: async (context) => fleetResponse(await reportStatus(context)),
  }),
  route({
    method: 'POST',
    path: '/admin/v1/ledger/verify',
    operationId: 'verifyLedger',
    tag: 'Fleet',
    summary: 'Compare all sums of money',
    description: 'Takes minutes with many requests. It changes nothing.',
    scope: 'pools:read',
    isInstallationWide: true,
    status: 200,
    body: z.object({}),
    response: z
      .object({
        object: z.literal('ledger.verification'),
        agrees: z.boolean(),
        pools: count,
        usage_records: count,
        ledger_entries: count,
        disagreements: z
          .array(z.object({ kind: z.string(), id: z.string(), problem: z.string() }))
          .describe('At most 1,000.'),
      })
      .meta({ id: 'LedgerVerification' }),
    async handle(context, { signal }) {
      const { counts, disagreements } = await verifyLedger(context, signal);
      return {
        object: 'ledger.verification' as const,
        agrees: disagreements.length === 0,
        pools: Number(counts.pools),
        usage_records: Number(counts.usageRecords),
        ledger_entries: Number(counts.ledgerEntries),
        disagreements,
      };
    },
  }),
];

type Report = Awaited<ReturnType<typeof reportStatus>>;

function fleetResponse(report: Report): z.input<typeof fleet> {
  return {
    object: 'fleet',
    version: report.version,
    uptime_seconds: report.uptimeSeconds,
    key_revision: Number(report.keyRevision),
    catalog_revision: Number(report.catalogRevision),
    accounts: report.accounts,
    active_keys: report.activeKeys,
    data_planes: report.dataPlanes.map((plane) => ({
      instance_id: plane.instanceId,
      control_plane_id: plane.controlPlaneId,
      acked_revision: Number(plane.ackedRevision),
      live: plane.live,
      ended_at: plane.endedAtMs === undefined ? null : new Date(plane.endedAtMs).toISOString(),
      missing_credentials: plane.missingCredentials,
      drain_ordered_at: optionalTimestamp(plane.reported?.drainedAt ?? null),
      state: plane.reported === undefined ? null : dataPlaneStateOf(plane.reported),
    })),
    control_planes: report.controlPlanes.map(controlPlaneOf),
    credentials: report.credentials.map(({ missingIn, models, providerId, setIn, unknownIn, variable }) => ({
      ...{ provider: providerId, variable },
      data_planes: { set: setIn, missing: missingIn, unknown: unknownIn },
      models: models.map(({ configuration, modelId }) => ({ id: modelId, configuration })),
    })),
    waiting: report.waitingCalls.map(({ calls, longestMs, modelId, providerId }) => ({
      ...{ model: modelId, provider: providerId, calls, longest_ms: longestMs },
    })),
    providers: report.health.providers.map(healthResponse),
    models: report.health.models.map(healthResponse),
  };
}

function healthResponse(figures: Report['health']['models'][number]): z.input<typeof health> {
  const { since } = figures;
  return {
    id: figures.id,
    status: figures.status,
    state: figures.state,
    sentence: figures.sentence ?? null,
    since: since === undefined ? null : new Date(since * 1_000).toISOString(),
    requests_5m: figures.requests5m,
    gave_up_5m: figures.gaveUp5m,
    success_5m: figures.uptime5m ?? null,
  };
}
