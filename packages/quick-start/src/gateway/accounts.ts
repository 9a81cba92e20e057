import { type ControlPlaneClient, GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { DEMO_EMAIL } from '@model-gateway/shared';
import { CALL_DEADLINE_MS } from './call-deadline.ts';

export interface LocalAccount {
  email: string;
  name: string;
}

/** The account of the user who starts the gateway. The printed key belongs to it. */
export const OWN_ACCOUNT: LocalAccount = { email: 'you@example.com', name: 'You' };
const OWN_ROLE = 'operator';
/** The account with the made-up usage, so that the user's account has only real usage. */
export const DEMO_ACCOUNT: LocalAccount = { email: DEMO_EMAIL, name: 'Demo data (made up)' };

export async function accountExists(client: ControlPlaneClient, { email }: LocalAccount): Promise<boolean> {
  try {
    await client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account: email });
    return true;
  } catch (error) {
    if (grpcStatus(error) !== GrpcStatus.NOT_FOUND) throw error;
    return false;
  }
}

/** Makes the user an operator of the installation, so that the dashboard has the console. */
export async function grantOwnRole(client: ControlPlaneClient): Promise<void> {
  await client.call(CALL_DEADLINE_MS, 'members', 'grantRole', { email: OWN_ACCOUNT.email, role: OWN_ROLE });
}

/** Returns false if the role was taken away, or never granted: accounts of earlier versions have none. */
export async function hasOwnRole(client: ControlPlaneClient): Promise<boolean> {
  const { roles } = await client.call(CALL_DEADLINE_MS, 'members', 'listRoles', {});
  return roles.some(({ email, role }) => email === OWN_ACCOUNT.email && role === OWN_ROLE);
}

/** Creates an account without any pool, unless it exists. @returns true if it is new */
export async function createAccount(
  client: ControlPlaneClient,
  { email, name }: LocalAccount,
): Promise<boolean> {
  try {
    const account = { email, name, withoutSignupPool: true };
    await client.call(CALL_DEADLINE_MS, 'accounts', 'createAccount', account);
    return true;
  } catch (error) {
    if (grpcStatus(error) !== GrpcStatus.ALREADY_EXISTS) throw error;
    return false;
  }
}
