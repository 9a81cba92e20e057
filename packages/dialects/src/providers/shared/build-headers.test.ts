import { expect, it } from 'vitest';
import type { HeadInput, ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { anthropic } from '../anthropic/anthropic.ts';
import { openAiCompatible } from '../openai-compatible/openai-compatible.ts';
import { vertex } from '../vertex/vertex.ts';

const request = { path: '/x', accept: 'application/json', isOwnApi: true as const };

function head(
  protocol: ProviderProtocol,
  constant: Record<string, string>,
  headers: Record<string, string>,
  more: Partial<HeadInput['request']> = {},
) {
  return protocol.head({
    constant,
    credential: 'secret',
    request: { ...request, ...more },
    req: { headers },
  });
}

it('a constant header of the catalog wins over the header of a caller, not over a default of the gateway', () => {
  const constant = { 'anthropic-workspace-id': 'ours' };
  const caller = { 'anthropic-workspace-id': 'theirs', 'anthropic-version': '2024-01-01' };
  expect(head(anthropic, constant, caller)).toMatchObject({
    'anthropic-workspace-id': 'ours',
    'anthropic-version': '2024-01-01',
  });
  const pinned = { 'anthropic-version': '2025-01-01' };
  expect(head(anthropic, pinned, caller)['anthropic-version']).toBe('2025-01-01');
});

it('betas of the catalog and of the caller are joined, each once', () => {
  const constant = { 'anthropic-beta': 'a-1, b-1' };
  expect(head(anthropic, constant, { 'anthropic-beta': 'b-1,c-1' })['anthropic-beta']).toBe('a-1,b-1,c-1');
  const betas = { 'openai-beta': 'x=v1' };
  expect(head(openAiCompatible, betas, { 'openai-beta': 'y=v2' })['openai-beta']).toBe('x=v1,y=v2');
  const ofRequest = { headers: { 'anthropic-beta': 'c-1' } };
  expect(head(vertex, constant, {}, ofRequest)['anthropic-beta']).toBe('a-1,b-1,c-1');
});
