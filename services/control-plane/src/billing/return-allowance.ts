import type { ReturnAllowanceRequestMessage } from '@model-gateway/contracts';
import type { AllowanceStore } from './allowance-store.ts';

/** Takes back the money that a data plane does not use. A repeated call changes nothing. */
export async function returnAllowance(
  { allowanceStore }: { allowanceStore: AllowanceStore },
  { allowanceId, returned, recall, close, granted }: ReturnAllowanceRequestMessage,
): Promise<{ granted: string; closed: boolean }> {
  const answer = await allowanceStore.giveBack(allowanceId, {
    returned: BigInt(returned),
    recall,
    close,
    granted: BigInt(granted),
  });
  return { granted: String(answer.granted), closed: answer.closed };
}
