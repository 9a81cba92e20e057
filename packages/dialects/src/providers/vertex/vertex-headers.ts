import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

/** Builds the headers; a token, added later, authenticates the request. */
export function vertexHeaders({
  constant,
  asked: { accept, body, headers },
}: HeadInput): Record<string, string> {
  const all = {
    ...common(constant, accept),
    ...headers,
    ...(body === undefined ? {} : { 'content-type': body.contentType }),
  };
  return body?.length === undefined ? all : { ...all, 'content-length': String(body.length) };
}

/** Nothing is free that every location has: that it knows no such path says that it is there. */
export const vertexProbe: ProviderProtocol['probe'] = ({ constant }) => ({
  path: '/ping',
  headers: common(constant, JSON_TYPE),
  isAnonymous: true,
});

function common(constant: Readonly<Record<string, string>>, accept: string): Record<string, string> {
  return { ...constant, accept, 'user-agent': `model-gateway/${VERSION}` };
}
