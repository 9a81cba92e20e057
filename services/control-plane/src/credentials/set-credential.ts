import { type CredentialSeal, credentialName, credentialValue } from '@model-gateway/shared';
import type { z } from 'zod';
import type { Actor } from '../actors/actor.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { describeStored, type StoredCredentialContext } from './list-credentials.ts';

/**
 * Stores the credential of a provider, under the current pepper and the one that it replaces, if any.
 * @throws ControlPlaneError invalid_argument, without the value
 */
export async function setCredential(
  context: StoredCredentialContext,
  _actor: Actor,
  request: { name: string; value: string },
) {
  const name = parse(credentialName, request.name);
  const value = parse(credentialValue, request.value);
  const rows = context.credentialSeals.map((seal: CredentialSeal) => ({
    pepperFingerprint: seal.fingerprint,
    sealed: seal.seal(name, value),
  }));
  await context.storedCredentialStore.set(name, rows);
  return await describeStored(context, name);
}

function parse(schema: z.ZodType<string, string>, text: string): string {
  const { data, error } = schema.safeParse(text);
  if (data === undefined) throw invalidArgument(error?.issues.map(({ message }) => message).join(', ') ?? '');
  return data;
}
