import {
  type AccountMessage,
  type ControlPlaneClient,
  type CreateKeyResponseMessage,
  GrpcStatus,
  grpcStatus,
} from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';

export const DEMO_EMAIL = 'demo@example.com';

/**
 * A key of the demo account: the last start's, unless it was revoked or belongs to another database.
 * @param baseUrl of the gateway, with /v1
 */
export async function demoKey(
  client: ControlPlaneClient,
  baseUrl: string,
  lastKey: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (lastKey !== undefined && (await isAccepted(baseUrl, lastKey, signal))) return lastKey;
  await createDemoAccount(client);
  const { rawKey } = await client.callOnce<CreateKeyResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
    stubs.accounts.createKey({ account: DEMO_EMAIL, name: 'npm start' }, ...rest),
  );
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

async function createDemoAccount(client: ControlPlaneClient): Promise<void> {
  try {
    await client.call<AccountMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
      stubs.accounts.createAccount({ email: DEMO_EMAIL, name: 'Demo' }, ...rest),
    );
  } catch (error) {
    if (grpcStatus(error) !== GrpcStatus.ALREADY_EXISTS) throw error;
  }
}
