import type { ProviderMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import type { Io } from '../io.ts';

const DEADLINE_MS = 15_000;
/** Page size above any provider's list; some default to 20. */
const PAGE = '1000';

interface ModelList {
  /** Below the base URL. */
  path: string;
  /** Headers besides the credential. */
  constant?: Record<string, string>;
  authorization(credential: string): Record<string, string>;
  /** @throws ZodError for anything else */
  ids(body: unknown): string[];
}

const withIds = z.object({ data: z.array(z.object({ id: z.string() })) });
const withNames = z.object({ models: z.array(z.object({ name: z.string() })) });
const idsOf = (body: unknown) => withIds.parse(body).data.map(({ id }) => id);
const bearer = (credential: string) => ({ authorization: `Bearer ${credential}` });

/** How to list models, by kind of provider. Other kinds have no list of callable models. */
const LISTS: Readonly<Record<string, ModelList>> = {
  'openai-compatible': { path: '/models', authorization: bearer, ids: idsOf },
  anthropic: {
    path: `/models?limit=${PAGE}`,
    constant: { 'anthropic-version': '2023-06-01' },
    authorization: (credential) => ({ 'x-api-key': credential }),
    ids: idsOf,
  },
  gemini: {
    path: `/models?pageSize=${PAGE}`,
    authorization: (credential) => ({ 'x-goog-api-key': credential }),
    ids: (body) => withNames.parse(body).models.map(({ name }) => name.replace(/^models\//, '')),
  },
  cohere: {
    path: `/v1/models?page_size=${PAGE}`,
    authorization: bearer,
    ids: (body) => withNames.parse(body).models.map(({ name }) => name),
  },
};

/**
 * Lists a provider's models, with the credential of this environment, which is sent nowhere else.
 * @returns their names, or why there is no list
 */
export async function listProviderModels(
  { baseUrl, credentialEnv, headers, kind }: ProviderMessage,
  environment: Io['environment'],
): Promise<string[] | string> {
  const list = LISTS[kind];
  if (list === undefined) return `providers of the kind ${kind} have no list of models`;
  const credential = credentialEnv === undefined ? '' : (environment[credentialEnv]?.trim() ?? '');
  if (credentialEnv !== undefined && credential === '') return `set ${credentialEnv} in this shell`;
  try {
    const response = await fetch(baseUrl.replace(/\/+$/, '') + list.path, {
      headers: { ...list.constant, ...headers, ...(credential === '' ? {} : list.authorization(credential)) },
      redirect: 'error',
      signal: AbortSignal.timeout(DEADLINE_MS),
    });
    if (!response.ok) return `the provider answered ${response.status}`;
    return list.ids(await response.json());
  } catch (failure) {
    if (failure instanceof z.ZodError || failure instanceof SyntaxError)
      return 'the provider sent no list of models';
    return 'the provider cannot be reached';
  }
}
