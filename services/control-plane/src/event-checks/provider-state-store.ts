import { z } from 'zod';
import { queryRows, type Transaction } from '../database/prisma-store.ts';
import { emitEvent, type NewEvent } from '../events/emit-event-store.ts';
import { storeReportedStates } from '../events/reported-state-store.ts';
import type { HealthReader } from '../status/health-reader.ts';
import type { ProbeStore } from '../status/probe-store.ts';
import { judgeProvider, type ReportedProvider } from './judge-provider.ts';

const DOWN = 1;
const reportedRows = z.array(
  z.object({ id: z.string(), wellSince: z.date().nullable(), isDown: z.boolean() }),
);

type ProviderHealth = Awaited<ReturnType<typeof readProviderHealth>>;

/** Reads what `reportProviders` needs, before its transaction: these reads have connections of their own. */
export async function readProviderHealth({
  healthReader,
  probeStore,
}: {
  healthReader: Pick<HealthReader, 'read'>;
  probeStore: Pick<ProbeStore, 'read'>;
}) {
  const { providers } = await healthReader.read();
  return { providers, probes: await probeStore.read() };
}

/** Stores an event for each provider that went down or came back, by the health that /v1/status shows. */
export async function reportProviders(
  transaction: Transaction,
  { probes, providers }: ProviderHealth,
): Promise<void> {
  const health = new Map(providers.map((each) => [each.id, each]));
  const known = await queryRows(transaction, reportedRows)`
    SELECT p.id, s.period AS "wellSince", s.id IS NOT NULL AS "isDown"
    FROM providers p LEFT JOIN reported_states s ON s.kind = 'provider' AND s.id = p.id
    WHERE p.retired_at IS NULL ORDER BY p.id`;
  const events: NewEvent[] = [];
  for (const { id, ...reported } of known) {
    const next = judgeProvider(reported, health.get(id), probes.get(id) ?? [], Date.now());
    if (next.event !== undefined) events.push({ ...next.event, accountId: null });
    await store(transaction, id, reported, next.state);
  }
  await emitEvent(transaction, ...events);
}

async function store(
  transaction: Transaction,
  id: string,
  before: ReportedProvider,
  after: ReportedProvider,
) {
  if (before.isDown && !after.isDown)
    await transaction.$executeRaw`DELETE FROM reported_states WHERE kind = 'provider' AND id = ${id}`;
  else if (after.isDown && (!before.isDown || before.wellSince?.getTime() !== after.wellSince?.getTime()))
    await storeReportedStates(transaction, [{ kind: 'provider', id, level: DOWN, period: after.wellSince }]);
}
