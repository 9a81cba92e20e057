import { setGlobalProxyFromEnv } from 'node:http';
import type { Environment } from '@model-gateway/service-kit';
import { z } from 'zod';

const DEADLINE_MS = 15_000;
/** Page size above any provider's list; some default to 20. */
const PAGE = '1000';
/** More than any list of models. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Names are printed on terminals. */
const NAME = /^[^\p{C}]{1,200}$/u;

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

/** Requests for lists of models, by kind of provider. Other kinds have no list of callable models. */
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

/** The part of a provider that a request for its list of models needs. */
export interface ListedProvider {
  kind: string;
  baseUrl: string;
  /** Names of variables; the first one that is set is sent. Empty: none is needed. */
  credentials: readonly string[];
  headers: Readonly<Record<string, string>>;
}

/**
 * Lists a provider's models, with the credential of this environment, which is sent nowhere else.
 * @param deadlineMs how long the provider may take
 * @returns their names, or why there is no list
 */
export async function listProviderModels(
  { baseUrl, credentials, headers, kind }: ListedProvider,
  environment: Environment,
  deadlineMs = DEADLINE_MS,
): Promise<string[] | string> {
  const list = LISTS[kind];
  if (list === undefined) return `providers of the kind ${kind} have no list of models`;
  const credential = credentials.map((name) => environment[name]?.trim() ?? '').find((value) => value !== '');
  if (credentials.length > 0 && credential === undefined)
    return `set ${credentials[0]} in this shell or in .env; a stored value cannot be read`;
  try {
    const response = await fetch(baseUrl.replace(/\/+$/, '') + list.path, {
      headers: {
        ...list.constant,
        ...headers,
        ...(credential === undefined ? {} : list.authorization(credential)),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
    });
    if (!response.ok) return `the provider answered ${response.status}`;
    return list.ids(JSON.parse(await readText(response, MAX_BYTES))).filter((name) => NAME.test(name));
  } catch (failure) {
    if (failure instanceof z.ZodError || failure instanceof SyntaxError)
      return 'the provider sent no list of models';
    return failure instanceof Error && failure.name === 'TimeoutError'
      ? `the provider did not answer within ${deadlineMs / 1_000} s`
      : 'the provider cannot be reached';
  }
}

/** @throws SyntaxError for a body that is too large to be what was asked for */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new SyntaxError(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Sends the requests of this process through HTTPS_PROXY and HTTP_PROXY, but for NO_PROXY and loopback. */
export function useProxyOf(environment: Environment): void {
  const read = (name: string) => environment[name.toLowerCase()] || environment[name];
  const [https_proxy, http_proxy] = [read('HTTPS_PROXY'), read('HTTP_PROXY')];
  if (https_proxy === undefined && http_proxy === undefined) return;
  const no_proxy = [read('NO_PROXY'), 'localhost', '127.0.0.1', '::1'].filter(Boolean).join(',');
  setGlobalProxyFromEnv({ https_proxy, http_proxy, no_proxy });
}
