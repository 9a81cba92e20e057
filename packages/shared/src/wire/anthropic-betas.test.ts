import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { unpricedBetas } from './anthropic-betas.ts';

/** Maps each known beta, without its date, to its effect on the bill. */
const KNOWN_BETAS: Readonly<Record<string, 'limit' | 'by field' | 'nothing'>> = {
  'context-1m': 'limit',
  'output-128k': 'limit',
  'output-300k': 'limit',

  // `tools` with a model; `fallbacks` and the credit for them; `speed`; server tools; `mcp_servers`
  'advisor-tool': 'by field',
  'server-side-fallback': 'by field',
  'fallback-credit': 'by field',
  'fast-mode': 'by field',
  'code-execution': 'by field',
  'mcp-client': 'by field',
  // `cache_control.ttl`; counted in `usage.iterations`; `thread`; `file_id`; `container`
  'extended-cache-ttl': 'by field',
  compact: 'by field',
  'message-threads': 'by field',
  'files-api': 'by field',
  skills: 'by field',
  // `billing_policy`: the provider bills somebody else.
  'user-profiles-billing': 'by field',

  'cache-diagnosis': 'nothing',
  'computer-use': 'nothing',
  'context-management': 'nothing',
  'dev-full-thinking': 'nothing',
  'inline-tools': 'nothing',
  'interleaved-thinking': 'nothing',
  'mid-conversation-output-config': 'nothing',
  'mid-conversation-system-clear-at': 'nothing',
  'mid-conversation-tool-changes': 'nothing',
  'model-context-window-exceeded': 'nothing',
  pdfs: 'nothing',
  'prompt-caching': 'nothing',
  'structured-outputs': 'nothing',
  'task-budgets': 'nothing',
  'thinking-binding-controls': 'nothing',
  'thinking-display-updates': 'nothing',
  'thinking-token-count': 'nothing',
  'token-counting': 'nothing',
  'token-efficient-tools': 'nothing',
  'user-profiles': 'nothing',

  // These belong to other endpoints.
  'admin-user-sign-out': 'nothing',
  'agent-memory': 'nothing',
  'analytics-usage-cost': 'nothing',
  'ce-claude-code-managed-settings': 'nothing',
  'ce-plugins': 'nothing',
  'ce-user-management': 'nothing',
  dreaming: 'nothing',
  'experimental-claude-tag': 'nothing',
  'managed-agents': 'nothing',
  'mcp-tunnels': 'nothing',
  'message-batches': 'nothing',
  'spend-limit-reads': 'nothing',
  'telemetry-destinations': 'nothing',
  webhooks: 'nothing',
};
/** Sent by Claude Code, and named by no client library. */
const OF_AGENTS = [
  'claude-code-20250219',
  'oauth-2025-04-20',
  'effort-2025-11-24',
  'advanced-tool-use-2025-11-20',
  'tool-search-tool-2025-10-19',
  'prompt-caching-scope-2026-01-05',
  'redact-thinking-2026-02-12',
  'web-search-2025-03-05',
  'afk-mode-2026-01-31',
  'fine-grained-tool-streaming-2025-05-14',
];

const types = readFileSync('node_modules/@anthropic-ai/sdk/resources/beta/beta.d.ts', 'utf8');
const [, union = ''] = /type AnthropicBeta =([^;]+);/.exec(types) ?? [];
const ofClient = [...union.matchAll(/'([\w-]+)'/g)].map(([, name = '']) => name);

describe('the betas of the official client', () => {
  it('are all known, so that one which changes the price is noticed', () => {
    expect(ofClient.length).toBeGreaterThan(40);
    const unknown = ofClient.filter((beta) => KNOWN_BETAS[beta.replace(/-20[\d-]+$/, '')] === undefined);
    expect(unknown).toEqual([]);
  });

  it('need a price only if they raise a limit of the model', () => {
    const raising = ofClient.filter((beta) => KNOWN_BETAS[beta.replace(/-20[\d-]+$/, '')] === 'limit');
    expect(unpricedBetas(ofClient).map(({ needsLimit }) => needsLimit)).toEqual(
      raising.map((beta) => unpricedBetas([beta])[0]?.needsLimit),
    );
    expect(raising).toHaveLength(3);
  });
});

it.each([...OF_AGENTS, 'new-thing-2030-01-01', 'context-hints-2030-01-01'])('%s needs no price', (beta) => {
  expect(unpricedBetas([beta])).toEqual([]);
});

it.each([
  ['context-1m-2025-08-07', { name: 'contextLength', min: 1_000_000 }],
  ['context-2m-2030-01-01', { name: 'contextLength', min: 2_000_000 }],
  ['output-128k-2025-02-19', { name: 'maxOutputTokens', min: 128_000 }],
])('%s needs a limit of the model that is as high', (beta, needsLimit) => {
  const [found] = unpricedBetas(['claude-code-20250219', beta]);
  expect(found).toMatchObject({ param: 'anthropic-beta', needsLimit });
  expect(found?.advice).toContain(beta);
});
