import { readFile } from 'node:fs/promises';
import { isObject, type JsonObject } from '@model-gateway/dialects';
import { OWN_PROJECT } from '@model-gateway/shared';
import { bearer } from './access-token.ts';
import type { CredentialPlace, CredentialSource, FetchedCredential } from './fetched-credential.ts';
import { serviceAccountKey, serviceAccountToken } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Where all libraries of Google look for a file of credentials. */
const DEFAULT_VARIABLE = 'GOOGLE_APPLICATION_CREDENTIALS';
/** Stands in the path of a provider whose project is that of its credentials. */
const OF_CREDENTIALS = `/projects/${OWN_PROJECT}/`;

/**
 * Access tokens of Google Cloud: of the key of a service account in a variable, which holds its JSON or the
 * path of its file; else of the application default credentials, which may be any file of credentials, an
 * identity of another cloud, or the service account of the machine.
 */
export function googleCredentials({ credentialEnv, pathPrefix }: CredentialPlace): CredentialSource {
  const needsProject = `${pathPrefix}/`.includes(OF_CREDENTIALS);
  return {
    key: `google ${credentialEnv ?? ''} ${needsProject}`,
    name:
      credentialEnv === undefined
        ? 'application default credentials of Google Cloud'
        : `credentials of Google Cloud in ${credentialEnv}`,
    fetch: async (variable) => {
      const token = await fetchToken(variable, credentialEnv ?? DEFAULT_VARIABLE, needsProject);
      if (!needsProject) return token;
      const project = variable('GOOGLE_CLOUD_PROJECT') ?? token.project;
      if (project === undefined)
        throw new Error(
          'the credentials tell no project: name it as `project` of the provider in the catalog',
        );
      return { ...token, placed: (path) => path.replace(OF_CREDENTIALS, `/projects/${project}/`) };
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
  needsProject: boolean,
): Promise<FetchedToken> {
  const given = variable(name);
  const isJson = given?.trimStart().startsWith('{') === true;
  const file = given === undefined ? undefined : await credentialsIn(given, isJson);
  if (file?.type === 'service_account') {
    const { data: key, error } = serviceAccountKey.safeParse(file);
    if (key !== undefined) return { ...(await serviceAccountToken(key, SCOPE)), project: key.project_id };
    throw new Error(`the key of the service account lacks ${error.issues.map(({ path }) => path.join('.'))}`);
  }
  // Google advises against taking other kinds from elsewhere: they name the servers that are trusted.
  if (isJson || name !== DEFAULT_VARIABLE)
    throw new Error(
      `${name} holds no key of a service account; other credentials are taken from the file that ` +
        `${DEFAULT_VARIABLE} names`,
    );
  return fetchByLibrary(needsProject);
}

/** @throws Error that says what is wrong with them, and nothing of what they are */
async function credentialsIn(given: string, isJson: boolean): Promise<JsonObject> {
  const text = isJson ? given : await contentOf(given);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's error quotes the text.
  }
  if (isObject(value)) return value;
  throw new Error(`${isJson ? 'the variable' : `the file ${given}`} holds no JSON of credentials`);
}

async function contentOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    // The system's error names the path, which can be the key in another form, such as base64.
    throw new Error(
      'the variable holds neither the JSON of credentials nor the path of a file that can be read',
    );
  }
}

/** Fetches from the process's surroundings, in the order of Google's libraries. */
async function fetchByLibrary(needsProject: boolean): Promise<FetchedToken> {
  // Load this only for providers on Google Cloud: it takes 100 ms and 20 MB.
  const { GoogleAuth } = await import('google-auth-library');
  // A new one each time: it keeps what it has found. Where it is told no project it looks for one, which
  // needs a further permission of identities of other clouds.
  const auth = new GoogleAuth({ scopes: SCOPE, ...(needsProject ? {} : { projectId: OWN_PROJECT }) });
  const client = await auth.getClient();
  const { token } = await client.getAccessToken();
  if (typeof token !== 'string') throw new Error('there is no access token for these credentials');
  const project = needsProject ? await auth.getProjectId() : undefined;
  return { ...bearer(token, client.credentials.expiry_date ?? undefined), project };
}
