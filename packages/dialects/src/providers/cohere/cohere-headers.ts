import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

export function cohereHeaders({
  constant,
  credential,
  asked: { accept, body },
}: HeadInput): Record<string, string> {
  return {
    ...common({ constant, credential }, accept),
    ...(body === undefined ? {} : { 'content-type': body.contentType }),
    ...(body?.length === undefined ? {} : { 'content-length': String(body.length) }),
  };
}

/** The list of models, which is free, and which the second version of the API does not have. */
export const cohereProbe: ProviderProtocol['probe'] = (input) => ({
  path: '/v1/models',
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
    ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
  };
}
