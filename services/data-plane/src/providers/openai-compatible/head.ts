import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderDialect } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';

/** The caller's headers that a provider may see. */
const PASSED_REQUEST_HEADERS = ['openai-beta'] as const;

export function head({
  constant,
  credential,
  asked: { accept, body },
  req,
}: HeadInput): Record<string, string> {
  const headers: Record<string, string> = {
    ...constant,
    accept,
    ...(body === undefined ? {} : { 'content-type': body.contentType }),
    'user-agent': `model-gateway/${VERSION}`,
  };
  if (body?.length !== undefined) headers['content-length'] = String(body.length);
  if (credential !== undefined) headers.authorization = `Bearer ${credential}`;
  for (const name of PASSED_REQUEST_HEADERS) {
    const value = req.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}

/** The list of models, which is free everywhere. */
export const probe: ProviderDialect['probe'] = ({ constant, credential }) => ({
  path: '/models',
  headers: {
    ...constant,
    accept: JSON_TYPE,
    'user-agent': `model-gateway/${VERSION}`,
    ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
  },
});
