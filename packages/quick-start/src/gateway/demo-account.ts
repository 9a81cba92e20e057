import { type ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from './call-deadline.ts';

export const DEMO_EMAIL = 'demo@example.com';

/** Makes sure that the demo account exists. @returns true if it was made just now */
export async function createDemoAccount(client: ControlPlaneClient): Promise<boolean> {
  try {
    await client.call(CALL_DEADLINE_MS, 'accounts', 'createAccount', { email: DEMO_EMAIL, name: 'Demo' });
    return true;
  } catch (error) {
    if (grpcStatus(error) !== GrpcStatus.ALREADY_EXISTS) throw error;
    return false;
  }
}
