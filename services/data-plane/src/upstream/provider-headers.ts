import type { IncomingMessage } from 'node:http';
import { VERSION } from '@model-gateway/service-kit';
import type { RoutedProvider } from '../catalog/model-table.ts';

/** The caller's headers that a provider may see; nothing else of the request's head leaves the gateway. */
const PASSED_REQUEST_HEADERS = ['openai-beta'] as const;

export interface ProviderHeadersInput {
  provider: RoutedProvider;
  credential: string | undefined;
  accept: string;
  contentType: string;
  /** Of a body whose length undici cannot know. */
  length: number | undefined;
  req: IncomingMessage;
}

/** The whole head of a request to a provider. */
export function providerHeaders({
  provider,
  credential,
  accept,
  contentType,
  length,
  req,
}: ProviderHeadersInput): Record<string, string> {
  const headers: Record<string, string> = {
    ...provider.headers,
    accept,
    'content-type': contentType,
    'user-agent': `model-gateway/${VERSION}`,
  };
  if (length !== undefined) headers['content-length'] = String(length);
  if (credential !== undefined) headers.authorization = `Bearer ${credential}`;
  for (const name of PASSED_REQUEST_HEADERS) {
    const value = req.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  return headers;
}
