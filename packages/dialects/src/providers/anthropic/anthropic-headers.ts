import type { IncomingMessage } from 'node:http';
import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

const API_VERSION = '2023-06-01';
/**
 * The headers of a caller of Messages that a provider may see: versions and betas, whichever there will be.
 */
const PASSED_REQUEST_HEADERS = /^anthropic-(?!dangerous-)/;

export function anthropicHeaders({
  constant,
  credential,
  asked: { accept, body, isOwnApi },
  req,
}: HeadInput): Record<string, string> {
  const headers = {
    ...common({ constant, credential }, accept),
    ...(body === undefined ? {} : { 'content-type': body.contentType }),
    // A translated request uses the version that this gateway knows.
    ...(isOwnApi === true ? passedHeaders(req) : {}),
  };
  return body?.length === undefined ? headers : { ...headers, 'content-length': String(body.length) };
}

/** The list of models, which is free. */
export const anthropicProbe: ProviderProtocol['probe'] = (input) => ({
  path: '/models',
  headers: common(input, JSON_TYPE),
});

function common(
  { constant, credential }: Pick<HeadInput, 'constant' | 'credential'>,
  accept: string,
): Record<string, string> {
  return {
    'anthropic-version': API_VERSION,
    ...constant,
    accept,
    'user-agent': `model-gateway/${VERSION}`,
    ...(credential === undefined ? {} : { 'x-api-key': credential }),
  };
}

function passedHeaders({ headers }: Pick<IncomingMessage, 'headers'>): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && PASSED_REQUEST_HEADERS.test(name)) passed[name] = value;
  }
  return passed;
}
