import type { ControlPlaneClient } from '@model-gateway/contracts';
import { OWN_ACCOUNT } from './accounts.ts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';

/**
 * Returns a key of the user's account: the last start's key, unless it was revoked or belongs to another
 * database.
 * @param baseUrl of the gateway, with /v1
 */
export async function ownKey(
  client: ControlPlaneClient,
  baseUrl: string,
  lastKey: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (lastKey !== undefined && (await isAccepted(baseUrl, lastKey, signal))) return lastKey;
  const { rawKey } = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createKey', {
    account: OWN_ACCOUNT.email,
    name: 'npm start',
  });
  return rawKey;
}

async function isAccepted(baseUrl: string, key: string, signal: AbortSignal): Promise<boolean> {
  const response = await fetch(`${baseUrl}/models`, {
    headers: { authorization: `Bearer ${key}` },
    signal,
  });
  await response.arrayBuffer();
  return response.status !== 401;
}
