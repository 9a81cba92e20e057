import type { KeyContextMessage, KeyLimitUseMessage } from '@model-gateway/contracts';
import { type Limiter, limitUse } from '@model-gateway/limits';
import { keyContextFromMessage } from '../keys/key-context.ts';

/**
 * Reports how much of their limits these keys use, if this process counts it. Counts in Redis are left out,
 * because every process would report them.
 */
export async function reportLimitUse(
  limiter: Pick<Limiter, 'peek'>,
  keys: readonly KeyContextMessage[],
): Promise<KeyLimitUseMessage[]> {
  const reports = await Promise.all(
    keys.map(async (message) => {
      const key = keyContextFromMessage(message);
      const { used, countedBy } = await limitUse(limiter, key);
      const policies = [...used].map(([name, count]) => ({ name, used: count }));
      return countedBy === 'memory' ? [{ keyId: key.keyId, policies }] : [];
    }),
  );
  return reports.flat();
}
