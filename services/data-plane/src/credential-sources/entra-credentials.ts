import { readFile } from 'node:fs/promises';
import { fetchAccessToken } from './access-token.ts';
import type { CredentialSource } from './fetched-credential.ts';

type Variables = (name: string) => string | undefined;

const PUBLIC_CLOUD = 'https://login.microsoftonline.com';
const SCOPE = 'https://cognitiveservices.azure.com/.default';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/**
 * Fetches Entra ID tokens for the application that Azure's usual variables name, by secret or workload
 * identity. Not with `@azure/identity`: it takes 200 ms and 40 MB to load for this one request.
 * Source: "OAuth 2.0 client credentials flow on the Microsoft identity platform".
 */
export const entraCredentials: CredentialSource = {
  key: 'entra',
  name: 'tokens of Entra ID',
  fetch: async (variable, egress) => {
    const authority = variable('AZURE_AUTHORITY_HOST') ?? PUBLIC_CLOUD;
    const tenant = encodeURIComponent(requireVariable(variable, 'AZURE_TENANT_ID'));
    const form = {
      grant_type: 'client_credentials',
      client_id: requireVariable(variable, 'AZURE_CLIENT_ID'),
      scope: SCOPE,
      ...(await authenticateApplication(variable)),
    };
    return await fetchAccessToken(new URL(`/${tenant}/oauth2/v2.0/token`, authority).href, form, egress);
  },
  isStale: (status) => status === 401,
};

/**
 * Returns the form fields that authenticate the application. The token file is rewritten about every hour.
 */
async function authenticateApplication(variable: Variables): Promise<Record<string, string>> {
  const secret = variable('AZURE_CLIENT_SECRET');
  if (secret !== undefined) return { client_secret: secret };
  const file = requireVariable(variable, 'AZURE_FEDERATED_TOKEN_FILE');
  return {
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: (await readFile(file, 'utf8')).trim(),
  };
}

function requireVariable(variable: Variables, name: string): string {
  const value = variable(name);
  if (value !== undefined) return value;
  throw new Error(
    `${name} is not set: tokens of Entra ID need AZURE_TENANT_ID and AZURE_CLIENT_ID, and AZURE_CLIENT_SECRET or ` +
      'AZURE_FEDERATED_TOKEN_FILE; a key is sent instead where the catalog names its variable in credential_env',
  );
}
