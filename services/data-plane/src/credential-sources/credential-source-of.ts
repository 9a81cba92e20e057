import type { ProviderKind } from '@model-gateway/shared';
import { awsCredentials } from './aws-credentials.ts';
import { entraCredentials } from './entra-credentials.ts';
import type { CredentialSettings, CredentialSource } from './fetched-credential.ts';
import { googleCredentials } from './google-credentials.ts';

/**
 * Provider kinds whose credentials are fetched or sign the request. All others send the value of a variable.
 */
const SOURCES: ReadonlyMap<string, (settings: CredentialSettings) => CredentialSource | undefined> = new Map(
  Object.entries({
    'azure-openai': ({ credentialEnv }) => (credentialEnv === undefined ? entraCredentials : undefined),
    bedrock: ({ credentialEnv, region }) =>
      credentialEnv === undefined && region !== undefined ? awsCredentials(region) : undefined,
    vertex: googleCredentials,
  } satisfies Partial<Record<ProviderKind, (settings: CredentialSettings) => CredentialSource | undefined>>),
);

/** Returns the source of a provider's credentials; undefined: nothing is fetched. */
export function credentialSourceOf(kind: string, settings: CredentialSettings): CredentialSource | undefined {
  return SOURCES.get(kind)?.(settings);
}
