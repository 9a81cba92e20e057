import { credentialName, credentialValue } from '@model-gateway/shared';
import type { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { describeCredential, describeRows, type StoredCredentialContext } from './list-credentials.ts';

/**
 * Stores the credential of a provider, sealed with the current pepper and with the previous one, if any.
 * @throws ControlPlaneError invalid_argument, which does not quote the value
 */
export async function setCredential(
  context: StoredCredentialContext,
  actor: Actor,
  request: { name: string; value: string },
) {
  const name = parse(credentialName, request.name);
  const value = parse(credentialValue, request.value);
  const rows = context.credentialSeals.map((seal) => ({
    pepperFingerprint: seal.fingerprint,
    sealed: seal.seal(name, value),
  }));
  await context.storedCredentialStore.set(actor, name, rows, describeRows(context.credentialSeals));
  return await describeCredential(context, name);
}

function parse(schema: z.ZodType<string, string>, text: string): string {
  const { data, error } = schema.safeParse(text);
  if (data === undefined) throw invalidArgument(error?.issues.map(({ message }) => message).join(', ') ?? '');
  return data;
}
