import { randomBytes } from 'node:crypto';
import type { TestGateway } from '@model-gateway/test-kit';
import { metricOf } from '@model-gateway/test-kit';
import { CHAT, CLAUDE } from '../endpoints/both-apis.ts';

/** The models for which Responses are translated. */
export const TRANSLATED = [CHAT, CLAUDE] as const;

/** The settings that make the gateway store responses. */
export const STATE = {
  RESPONSES_STATE_TTL_S: '3600',
  RESPONSES_STATE_KEY: randomBytes(32).toString('hex'),
} as const;

/** Returns how many responses were stored or read again with this outcome. */
export function counted({ dataPlanes }: TestGateway, operation: 'keep' | 'read', outcome: string) {
  return metricOf(dataPlanes[0], 'gateway_kept_responses_total', { operation, outcome });
}
