import type { ReturnAllowanceRequestMessage, ReturnAllowancesRequestMessage } from '@model-gateway/contracts';
import { requireDistinctAllowances } from './allowance-request.ts';
import type { AllowanceStore } from './allowance-store.ts';

/** Takes back the money that a data plane does not use. A repeated call changes nothing. */
export async function returnAllowance(
  { allowanceStore }: { allowanceStore: Pick<AllowanceStore, 'returnUnused'> },
  message: ReturnAllowanceRequestMessage,
): Promise<{ granted: string; closed: boolean }> {
  const { id, ...given } = parseReturn(message);
  const answer = await allowanceStore.returnUnused(id, given);
  return { granted: String(answer.granted), closed: answer.closed };
}

/**
 * Takes back unused money of many allowances. Skips those with locked pools, and those that reply to a recall
 * but stay open: the data plane returns these one by one.
 * @throws ControlPlaneError invalid_argument
 */
export async function returnAllowances(
  { allowanceStore }: { allowanceStore: Pick<AllowanceStore, 'returnUnusedMany'> },
  { allowances }: ReturnAllowancesRequestMessage,
) {
  const given = allowances.map(parseReturn);
  requireDistinctAllowances(given);
  const answers = await allowanceStore.returnUnusedMany(
    given.filter(({ recall, close }) => recall === 0 || close),
  );
  return {
    answers: Object.fromEntries(
      answers.map(({ allowanceId, granted, closed }) => [allowanceId, { granted: String(granted), closed }]),
    ),
  };
}

function parseReturn({ allowanceId, returned, recall, close, granted }: ReturnAllowanceRequestMessage) {
  return { id: allowanceId, returned: BigInt(returned), recall, close, granted: BigInt(granted) };
}
