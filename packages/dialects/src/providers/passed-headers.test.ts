import { describe, expect, it } from 'vitest';
import { providerProtocolOf } from './provider-protocol-of.ts';

/** Headers with which a provider charges more, serves a longer context, or somebody else. */
const CALLERS = {
  'x-amzn-bedrock-performanceconfig-latency': 'optimized',
  'x-amzn-bedrock-service-tier': 'priority',
  'x-vertex-ai-llm-request-type': 'dedicated',
  'x-vertex-ai-llm-shared-request-type': 'priority',
  'x-goog-user-project': 'project',
  'x-goog-api-key': 'key',
  'openai-organization': 'org_1',
  'openai-project': 'proj_1',
  'openai-beta': 'responses=v1',
  'anthropic-beta': 'new-thing-2030-01-01',
  'anthropic-version': '2024-01-01',
  'anthropic-dangerous-direct-browser-access': 'true',
  authorization: 'Bearer gw_live_x',
  cookie: 'a=b',
};

const PASSED: Readonly<Record<string, readonly string[]>> = {
  'openai-compatible': ['openai-beta'],
  'azure-openai': ['openai-beta'],
  anthropic: ['anthropic-beta', 'anthropic-version'],
  gemini: [],
  vertex: [],
  bedrock: [],
  cohere: [],
};

describe.each(Object.entries(PASSED))('a provider of the kind %s', (kind, passed) => {
  it(`gets ${passed.join(' and ') || 'none'} of the headers with which callers could change a price`, () => {
    const protocol = providerProtocolOf(kind, { apis: [], baseUrl: 'https://example.com/v1' });
    const sent = protocol?.head({
      constant: {},
      credential: undefined,
      request: { path: '/', accept: 'application/json', isOwnApi: true },
      req: { headers: CALLERS },
    });
    const names = Object.entries(CALLERS).filter(([name, value]) => sent?.[name] === value);
    expect(names.map(([name]) => name).sort()).toEqual([...passed].sort());
  });
});
