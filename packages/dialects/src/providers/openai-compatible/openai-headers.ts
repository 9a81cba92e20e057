import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { type CredentialHeader, withCredential } from '../shared/build-headers.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

/** The caller's headers that a provider may see. */
export const PASSED_REQUEST_HEADERS = ['openai-beta'] as const;

export function openAiHeaders(header: CredentialHeader): Pick<ProviderProtocol, 'head' | 'probe'> {
  return {
    head({ constant, credential, request: { accept, body }, req }: HeadInput): Record<string, string> {
      const headers: Record<string, string> = {
        ...constant,
        accept,
        ...(body === undefined ? {} : { 'content-type': body.contentType }),
        'user-agent': `model-gateway/${VERSION}`,
      };
      if (body?.length !== undefined) headers['content-length'] = String(body.length);
      if (credential !== undefined) headers[header.name] = header.scheme + credential;
      for (const passed of PASSED_REQUEST_HEADERS) {
        const value = req.headers[passed];
        if (typeof value === 'string') headers[passed] = value;
      }
      return headers;
    },
    probe: (input) => ({ path: '/models', headers: withCredential(input, JSON_TYPE, header) }),
  };
}
