import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

/** Without an API key nothing proves here who asks: a signature over the request does (aws/). */
export function bedrockHeaders({
  constant,
  credential,
  asked: { accept, body },
}: HeadInput): Record<string, string> {
  const headers = {
    ...common(constant, accept),
    ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
    ...(body === undefined ? {} : { 'content-type': body.contentType }),
  };
  return body?.length === undefined ? headers : { ...headers, 'content-length': String(body.length) };
}

/** The runtime has nothing that is free: that it knows no such path says that it is there. No key is sent. */
export const bedrockProbe: ProviderProtocol['probe'] = ({ constant }) => ({
  path: '/ping',
  headers: common(constant, JSON_TYPE),
  isAnonymous: true,
});

function common(constant: Readonly<Record<string, string>>, accept: string): Record<string, string> {
  return { ...constant, accept, 'user-agent': `model-gateway/${VERSION}` };
}
