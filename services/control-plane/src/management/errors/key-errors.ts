import type { Scope } from '@model-gateway/shared/access';
import { ManagementError } from './management-error.ts';

/** Gives one message for all these cases, so that nobody who guesses keys learns which ones exist. */
export function invalidAdminKey(): ManagementError {
  const message =
    'The admin key is missing, malformed, unknown, expired or revoked. ' +
    'Send a valid one as "Authorization: Bearer gw_admin_…" (create one with "gatewayctl admin-keys create").';
  return new ManagementError('invalid_api_key', message);
}

export function keyOfModels(): ManagementError {
  const message =
    'This is an API key for models. The management API needs an admin key, which begins with "gw_admin_".';
  return new ManagementError('invalid_api_key', message);
}

/** @param address the client's address, as the gateway sees it */
export function networkNotAllowed(address: string): ManagementError {
  const message =
    `This admin key may not be used from ${address}. Send the request from one of its networks, or create a ` +
    'key for this one.';
  return new ManagementError('network_not_allowed', message);
}

export function scopeMissing(scope: Scope): ManagementError {
  const message = `This admin key does not have the scope "${scope}". Use a key that has it.`;
  return new ManagementError('permission_denied', message);
}

export function installationOnly(): ManagementError {
  const message =
    'This admin key is bound to one account, and this route concerns the whole gateway. Use a key that is not.';
  return new ManagementError('permission_denied', message);
}

export function accountOnly(): ManagementError {
  const message =
    'This admin key is bound to no account, and this route shows what only members of the account may see. ' +
    'Use a key that is bound to the account.';
  return new ManagementError('permission_denied', message);
}

export function accountSuspended(): ManagementError {
  const message =
    'The account of this admin key is suspended, or its owner is deactivated. Ask the operator of the gateway.';
  return new ManagementError('permission_denied', message);
}
