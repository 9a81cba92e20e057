import type { ApiKeyMessage, ControlPlaneCalls } from '@model-gateway/contracts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS } from '../run-command.ts';

/** Lists the issued keys of an account, or of its seat, without revoked and replaced ones. */
export async function keysInForce(
  client: ControlPlaneCalls,
  { account, seat }: { account: string | undefined; seat?: { id: string | undefined } },
): Promise<ApiKeyMessage[]> {
  const isNew = account === undefined || (seat !== undefined && seat.id === undefined);
  if (isNew) return [];
  const pages = readAllPages(
    (place) => client.call(CALL_DEADLINE_MS, 'accounts', 'listKeys', { account, ...place }),
    ({ keys }) => keys,
  );
  const keys = (await Array.fromAsync(pages)).flat();
  return keys.filter(
    ({ kind, replacedBy, seatId, status }) =>
      kind === 'issued' && status !== 'revoked' && replacedBy === undefined && seatId === seat?.id,
  );
}
