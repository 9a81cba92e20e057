import type { ProviderExchange } from '../http/exchange.ts';

/** Headers that a careless proxy would forward to its clients. */
const NASTY_HEADERS: Record<string, string | string[]> = {
  'set-cookie': ['provider_session=s3cret; Path=/; HttpOnly', 'provider_ab=1; Domain=127.0.0.1'],
  server: 'simulated-provider/1.0',
  'access-control-allow-origin': '*',
  'access-control-allow-credentials': 'true',
  'x-request-id': 'provider-request-0001',
  'openai-organization': 'org-simulated',
  'openai-processing-ms': '12',
  'anthropic-ratelimit-requests-remaining': '41',
};

/** Sets the headers of an answer, and those of the knob `set_cookie`. */
export function writeHeaders(
  { fault, res }: Pick<ProviderExchange, 'fault' | 'res'>,
  headers: Record<string, string>,
): void {
  for (const [name, value] of Object.entries({ ...headers, ...(fault.set_cookie ? NASTY_HEADERS : {}) })) {
    res.setHeader(name, value);
  }
}
