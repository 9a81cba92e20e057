import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject } from '@model-gateway/dialects';
import { OWN_PROJECT } from '@model-gateway/shared';
import type { EgressProxy } from '../egress/egress-proxy.ts';
import { bearerCredential } from './access-token.ts';
import type { CredentialSettings, CredentialSource, FetchedCredential } from './fetched-credential.ts';
import { fetchServiceAccountToken, serviceAccountKey } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** The variable where Google's libraries look for a credentials file. */
const DEFAULT_VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS';
/** Path placeholder for the project of the credentials. */
const PROJECT_PLACEHOLDER = `/projects/${OWN_PROJECT}/`;

/**
 * Fetches Google Cloud access tokens: with a service account key (JSON or its path in a variable), else with
 * the application default credentials (file, identity of another cloud, or the machine's service account).
 */
export function googleCredentials({ credentialEnv, pathPrefix }: CredentialSettings): CredentialSource {
  const needsProject = `${pathPrefix}/`.includes(PROJECT_PLACEHOLDER);
  return {
    key: `google ${credentialEnv ?? ''} ${needsProject}`,
    name:
      credentialEnv === undefined
        ? 'application default credentials of Google Cloud'
        : `credentials of Google Cloud in ${credentialEnv}`,
    fetch: async (variable, egress) => {
      const token = await fetchToken(variable, credentialEnv ?? DEFAULT_VARIABLE, { egress, needsProject });
      if (!needsProject) return token;
      const project = variable('GOOGLE_CLOUD_PROJECT') ?? token.project;
      if (project === undefined)
        throw new Error('the credentials name no project: set `project` of the provider in the catalog');
      return { ...token, completePath: (path) => path.replace(PROJECT_PLACEHOLDER, `/projects/${project}/`) };
    },
    isStale: (status) => status === 401,
  };
}

interface FetchedToken extends FetchedCredential {
  project: string | undefined;
}

async function fetchToken(
  variable: (name: string) => string | undefined,
  name: string,
  { egress, needsProject }: { egress: EgressProxy; needsProject: boolean },
): Promise<FetchedToken> {
  const given = variable(name);
  const isJson = given?.trimStart().startsWith('{') === true;
  const file = given === undefined ? undefined : await parseCredentials(given, isJson);
  if (file?.type === 'service_account') {
    const { data: key, error } = serviceAccountKey.safeParse(file);
    if (key !== undefined)
      return { ...(await fetchServiceAccountToken(key, SCOPE, egress)), project: key.project_id };
    throw new Error(`the key of the service account lacks ${error.issues.map(({ path }) => path.join('.'))}`);
  }
  // Google advises against accepting other credential types from outside: they name the servers to trust.
  if (isJson || name !== DEFAULT_VARIABLE)
    throw new Error(
      `${name} holds no key of a service account; other credentials are taken from the file that ` +
        `${DEFAULT_VARIABLE} names`,
    );
  return fetchByLibrary(needsProject);
}

/** @throws Error that names the problem and reveals nothing of the credentials */
async function parseCredentials(given: string, isJson: boolean): Promise<JsonObject> {
  const text = isJson ? given : await readCredentialsFile(given);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Dropped, because the parser's error quotes the text.
  }
  if (isObject(value)) return value;
  throw new Error(`${isJson ? 'the variable' : `the file ${given}`} holds no JSON of credentials`);
}

async function readCredentialsFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // Dropped, because the system's error quotes the path, which can be an encoded key.
    throw new Error(
      'the variable holds neither the JSON of credentials nor the path of a file that can be read',
    );
  }
}

/** Fetches a token with Google's library: application default credentials. */
async function fetchByLibrary(needsProject: boolean): Promise<FetchedToken> {
  // Loaded only for providers on Google Cloud: it takes 100 ms and 20 MB.
  const { GoogleAuth } = await import('google-auth-library');
  // A new instance each time, because it caches. Without a project id it looks one up, which needs an extra
  // permission with identities of other clouds.
  const auth = new GoogleAuth({ scopes: SCOPE, ...(needsProject ? {} : { projectId: OWN_PROJECT }) });
  const client = await auth.getClient();
  const { token } = await client.getAccessToken();
  if (typeof token !== 'string') throw new Error('there is no access token for these credentials');
  const project = needsProject ? await auth.getProjectId() : undefined;
  return { ...bearerCredential(token, client.credentials.expiry_date ?? undefined), project };
}
