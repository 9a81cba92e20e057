import type { Actor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import { describeCredential, describeRows, type StoredCredentialContext } from './list-credentials.ts';

/**
 * Removes a stored credential. A variable of the same name in a data plane counts again.
 * @throws ControlPlaneError not_found
 */
export async function removeCredential(context: StoredCredentialContext, actor: Actor, name: string) {
  const describe = describeRows(context.credentialSeals);
  if (!(await context.storedCredentialStore.remove(actor, name, describe))) {
    throw notFound(`there is no stored credential ${name}; list them with credentials list`);
  }
  return await describeCredential(context, name);
}
