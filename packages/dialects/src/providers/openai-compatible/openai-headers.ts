import { VERSION } from '@model-gateway/service-kit';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { type CredentialHeader, withCredential, withPassed } from '../shared/build-headers.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';

/** The caller's header that a provider may see. */
export const PASSED_REQUEST_HEADER = 'openai-beta';

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
      const passed = req.headers[PASSED_REQUEST_HEADER];
      return typeof passed === 'string'
        ? withPassed(headers, constant, { [PASSED_REQUEST_HEADER]: passed })
        : headers;
    },
    probe: (input) => ({ path: '/models', headers: withCredential(input, JSON_TYPE, header) }),
  };
}
