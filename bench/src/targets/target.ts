import type { Traffic } from '../load/job.ts';
import { MODEL } from '../wire/answer-plan.ts';
import { type RequestBodyOptions, requestBody } from '../wire/request-body.ts';

/** One of the compared programs. */
export interface Target {
  name: string;
  /** The target and its enabled features, for the report. */
  says: string;
  origin: string;
  headers: Record<string, string>;
  /** API keys, one a line. */
  keysFile?: string;
  /** The header that every right answer of this target has. */
  expectHeader?: string;
  model?: string;
  /** The id of the measured process; `direct` has none. */
  pid?: number;
  /** True if each right answer becomes a usage record. */
  isGateway?: true;
  /** True if a failed request or a different byte fails the run. */
  isOurs: boolean;
}

/** Creates traffic of requests to a target, used in turn. */
export function trafficTo(
  { origin, headers, keysFile, expectHeader, model = MODEL }: Target,
  ...bodies: readonly RequestBodyOptions[]
): Traffic {
  return {
    origin,
    path: '/v1/chat/completions',
    method: 'POST',
    headers,
    ...(keysFile === undefined ? {} : { keysFile }),
    ...(expectHeader === undefined ? {} : { expectHeader }),
    order: 'cycle',
    bodies: bodies.map((options) => requestBody({ model, ...options })),
    expectStatus: 200,
  };
}
