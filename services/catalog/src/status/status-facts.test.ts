import { expect, it } from 'vitest';
import { NO_TRAFFIC } from './model-health.ts';
import { PartMemory } from './part-memory.ts';
import { statusFacts } from './status-facts.ts';
import { summariseStatus } from './summarise-status.ts';

const NOW = 1_800_000_000;

/** Returns the status of a gateway whose only provider and model fail. */
function statusOf(hidesUpstreams: boolean): string {
  const failing = { ...NO_TRAFFIC, status: 'major_outage', state: 'major_outage', since: NOW - 600 } as const;
  const context = {
    catalogWatch: { isLive: () => true },
    copy: {
      health: { databaseReachable: true, liveDataPlanes: 2 },
      modelHealth: {
        updatedAt: NOW - 10,
        receivedAt: NOW - 10,
        providers: new Map([['openai', failing]]),
        models: new Map([['acme/small', failing]]),
        waiting: new Map(),
      },
      snapshot: {
        providers: [{ id: 'openai', name: 'OpenAI' }],
        upstreams: [{ id: 'acme/small', providerIds: ['openai'] }],
        configurations: undefined,
      },
    },
    limiter: { isRedisHealthy: true },
    partMemory: new PartMemory(),
    redis: undefined,
    hidesUpstreams,
  };
  return JSON.stringify(summariseStatus(statusFacts(context, NOW), NOW));
}

it('HIDE_UPSTREAMS replaces failing providers in the status by their failing models', () => {
  expect(statusOf(false)).toMatch(/OpenAI/);
  expect(statusOf(true)).not.toMatch(/openai/i);
  expect(statusOf(true)).toContain('acme/small');
});
