import { VERSION } from '@model-gateway/service-kit';
import type { ProviderBody } from '../../interfaces/provider-body.ts';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { JSON_TYPE } from './write-json-body.ts';

type Headers = Record<string, string>;

/** The header that holds the credential, and what stands before it there. */
export interface CredentialHeader {
  name: string;
  scheme: string;
}

export const BEARER: CredentialHeader = { name: 'authorization', scheme: 'Bearer ' };

/** Returns the head and the probe of an API with a key. @param probePath of something that is free */
export function keyHeaders(
  header: CredentialHeader,
  probePath: string,
): Pick<ProviderProtocol, 'head' | 'probe'> {
  return {
    head: (input) => withBody(withCredential(input, input.request.accept, header), input.request.body),
    probe: (input) => ({ path: probePath, headers: withCredential(input, JSON_TYPE, header) }),
  };
}

export function withCredential(
  { constant, credential }: Pick<HeadInput, 'constant' | 'credential'>,
  accept: string,
  { name, scheme }: CredentialHeader,
): Headers {
  return {
    ...commonHeaders(constant, accept),
    ...(credential === undefined ? {} : { [name]: scheme + credential }),
  };
}

export function commonHeaders(constant: HeadInput['constant'], accept: string): Headers {
  return { ...constant, accept, 'user-agent': `model-gateway/${VERSION}` };
}

export function withBody(headers: Headers, body: ProviderBody | undefined): Headers {
  return {
    ...headers,
    ...(body === undefined ? {} : { 'content-type': body.contentType }),
    ...(body?.length === undefined ? {} : { 'content-length': String(body.length) }),
  };
}

/** Headers with a list, which is joined of the catalog's and the caller's. */
const LIST_HEADERS = new Set(['anthropic-beta', 'openai-beta']);

/** Adds headers of the caller. A constant header of the catalog wins; lists of betas are joined. */
export function withPassed(headers: Headers, constant: HeadInput['constant'], passed: Headers): Headers {
  const result = { ...headers };
  for (const [name, value] of Object.entries(passed)) {
    const own = constant[name];
    if (own === undefined) result[name] = value;
    else if (LIST_HEADERS.has(name))
      result[name] = [...new Set(`${own},${value}`.split(/\s*,\s*/))].join(',');
  }
  return result;
}

/** Asks for an unknown path: a 404 shows that the provider is there, and nothing else is free everywhere. */
export const anonymousProbe: ProviderProtocol['probe'] = ({ constant }) => ({
  path: '/ping',
  headers: commonHeaders(constant, JSON_TYPE),
  isAnonymous: true,
});
