import type { LimitInForceMessage } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from '../run-command.ts';
import { type ApplyRun, applyDifferences, compareField } from './apply-run.ts';
import type { WantedAccount } from './gateway-file.ts';

type WantedLimits = NonNullable<WantedAccount['limits']>;
type WantedLimit = WantedLimits[keyof WantedLimits];

/** @param id undefined in a plan that creates the account */
export async function applyLimits(
  run: ApplyRun,
  email: string,
  id: string | undefined,
  wanted: WantedLimits | undefined,
): Promise<void> {
  if (wanted === undefined) return;
  const object = `limits of ${email}`;
  const account = id ?? '';
  const limits =
    id === undefined
      ? undefined
      : await run.client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account });
  const differences = [
    ...compareField('free_per_minute', ownLimit(limits?.freePerMinute), wanted.free_per_minute),
    ...compareField('paid_per_minute', ownLimit(limits?.paidPerMinute), wanted.paid_per_minute),
    ...compareField('reads_per_minute', ownLimit(limits?.readsPerMinute), wanted.reads_per_minute),
    ...compareField('streams', ownLimit(limits?.concurrentStreams), wanted.streams),
  ];
  await applyDifferences(run, object, differences, () =>
    run.client.call(CALL_DEADLINE_MS, 'accounts', 'setLimits', {
      account,
      freePerMinute: setting(wanted.free_per_minute),
      paidPerMinute: setting(wanted.paid_per_minute),
      readsPerMinute: setting(wanted.reads_per_minute),
      concurrentStreams: setting(wanted.streams),
    }),
  );
}

function ownLimit(limit: LimitInForceMessage | null | undefined): WantedLimit {
  return limit === null || limit === undefined || limit.isDefault ? 'default' : limit.value;
}

/** Null changes nothing, and an empty setting restores the default. */
function setting(limit: WantedLimit): { value?: number } | null {
  if (limit === undefined) return null;
  return limit === 'default' ? {} : { value: limit };
}
