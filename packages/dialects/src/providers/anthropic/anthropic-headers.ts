import type { IncomingMessage } from 'node:http';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { withBody, withCredential, withPassed } from '../shared/build-headers.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

const API_VERSION = '2023-06-01';
/** The headers of a caller of Messages that a provider may see: versions and betas, also future ones. */
const PASSED_REQUEST_HEADERS = /^anthropic-(?!dangerous-)/;

export const anthropicHead: ProviderProtocol['head'] = (input) => {
  const { accept, body, isOwnApi } = input.request;
  // A translated request uses the version that this gateway knows.
  const headers = withBody(common(input, accept), body);
  return isOwnApi === true ? withPassed(headers, input.constant, passedHeaders(input.req)) : headers;
};

export const anthropicProbe: ProviderProtocol['probe'] = (input) => ({
  path: '/models',
  headers: common(input, JSON_TYPE),
});

function common(
  { constant, credential }: Pick<HeadInput, 'constant' | 'credential'>,
  accept: string,
): Record<string, string> {
  const versioned = { 'anthropic-version': API_VERSION, ...constant };
  return withCredential({ constant: versioned, credential }, accept, { name: 'x-api-key', scheme: '' });
}

function passedHeaders({ headers }: Pick<IncomingMessage, 'headers'>): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && PASSED_REQUEST_HEADERS.test(name)) passed[name] = value;
  }
  return passed;
}
