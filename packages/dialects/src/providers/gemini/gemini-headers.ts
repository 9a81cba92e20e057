import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

export function geminiHeaders({
  constant,
  credential,
  asked: { accept, body },
}: HeadInput): Record<string, string> {
  const headers = {
    ...common({ constant, credential }, accept),
    ...(body === undefined ? {} : { 'content-type': body.contentType }),
  };
  return body?.length === undefined ? headers : { ...headers, 'content-length': String(body.length) };
}

/** The list of models, which is free. */
export const geminiProbe: ProviderProtocol['probe'] = (input) => ({
  path: '/models?pageSize=1',
  headers: common(input, JSON_TYPE),
});

function common(
  { constant, credential }: Pick<HeadInput, 'constant' | 'credential'>,
  accept: string,
): Record<string, string> {
  return {
    ...constant,
    accept,
    'user-agent': `model-gateway/${VERSION}`,
    ...(credential === undefined ? {} : { 'x-goog-api-key': credential }),
  };
}
