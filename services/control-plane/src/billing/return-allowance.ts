import type { ReturnAllowanceRequestMessage } from '@model-gateway/contracts';
import type { AllowanceStore } from './allowance-store.ts';

/** Takes back what a data plane does not use; one that is repeated changes nothing. */
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
