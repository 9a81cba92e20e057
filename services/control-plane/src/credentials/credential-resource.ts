import { z } from 'zod';
import type { ProviderReports, RefusedCredential } from '../provider-reports/provider-report-store.ts';
import { timestamp } from '../timestamps.ts';
import type { listCredentials } from './list-credentials.ts';

const count = z.int().min(0);

export const refusalSchema = z.object({
  http_status: z.int().nullable().describe('Status of the last refusal.'),
  refusals: count.describe('How often the provider has refused it since it last accepted it.'),
  since: timestamp,
  last_refused_at: timestamp,
  models: z.array(z.string()).describe('Upstream models; empty: it is refused for every model.'),
  data_planes: z.array(z.string()),
});

export const credentialResourceSchema = z.object({
  object: z.literal('credential'),
  name: z.string().describe('As in `credential_env` of the catalog.'),
  state: z
    .enum(['set', 'missing', 'refused', 'unreadable', 'unknown'])
    .describe(
      '`refused`: a provider answers 401 or 403. `missing`: a data plane lacks it. `unreadable`: it was stored ' +
        'under another API_KEY_LOOKUP_PEPPER. `unknown`: no data plane has replied.',
    ),
  stored: z.boolean().describe('False: a variable of the data planes.'),
  set_at: timestamp.nullable().describe('Null: it is not stored.'),
  last_four: z.string().nullable().describe('Null: it is not stored, or too short to show any of it.'),
  data_planes: z
    .array(z.object({ id: z.string(), set: z.boolean().nullable().describe('Null: no reply yet.') }))
    .describe('Live data planes. A stored credential is set on each.'),
  providers: z.array(z.string()).describe('Ids of the providers of the catalog that use it.'),
  refusals: z.array(refusalSchema.extend({ provider: z.string() })),
});
export type CredentialResource = z.infer<typeof credentialResourceSchema>;

type Described = Awaited<ReturnType<typeof listCredentials>>['credentials'][number];

/** Describes a credential without its value. @param settings replies of data planes by variable */
export function credentialResource(
  described: Described,
  settings: ReadonlyMap<string, CredentialResource['data_planes']>,
  { refused }: Pick<ProviderReports, 'refused'>,
): CredentialResource {
  const { name, providerIds, setAtMs, unreadable } = described;
  const stored = setAtMs !== undefined;
  const dataPlanes = settings.get(name) ?? [];
  const refusals = providerIds.flatMap((provider) => {
    const refusal = refusalOf(
      refused.filter((each) => each.providerId === provider && each.variable === name),
    );
    return refusal === undefined ? [] : [{ provider, ...refusal }];
  });
  return {
    object: 'credential',
    name,
    state: stateOf({ unreadable, stored, dataPlanes, isRefused: refusals.length > 0 }),
    stored,
    set_at: stored ? new Date(Number(setAtMs)).toISOString() : null,
    last_four: described.lastFour ?? null,
    data_planes: dataPlanes.map(({ id, set }) => ({ id, set: stored || set })),
    providers: providerIds,
    refusals,
  };
}

interface StateFacts {
  unreadable: boolean;
  stored: boolean;
  isRefused: boolean;
  dataPlanes: CredentialResource['data_planes'];
}

function stateOf({ dataPlanes, isRefused, stored, unreadable }: StateFacts): CredentialResource['state'] {
  if (isRefused) return 'refused';
  if (unreadable) return 'unreadable';
  if (stored) return 'set';
  if (dataPlanes.some(({ set }) => set === false)) return 'missing';
  return dataPlanes.some(({ set }) => set) ? 'set' : 'unknown';
}

/** Adds up refusals of one credential at one provider; undefined: there is none. */
export function refusalOf(
  refused: readonly (RefusedCredential & { instanceId: string })[],
): z.infer<typeof refusalSchema> | undefined {
  const [first] = refused.toSorted((one, other) => (one.last > other.last ? -1 : 1));
  const [since] = refused.map((each) => each.since).sort();
  if (first === undefined || since === undefined) return undefined;
  const models = new Set(refused.map(({ model }) => model));
  return {
    http_status: first.httpStatus,
    refusals: refused.reduce((sum, each) => sum + each.refusals, 0),
    since,
    last_refused_at: first.last,
    models: models.has('') ? [] : [...models].sort(),
    data_planes: [...new Set(refused.map(({ instanceId }) => instanceId))].sort(),
  };
}
