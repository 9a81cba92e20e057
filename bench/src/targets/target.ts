import type { Traffic } from '../load/job.ts';
import { MODEL } from '../wire/answer-plan.ts';
import { type RequestBodyOptions, requestBody } from '../wire/request-body.ts';

/** One of those that are compared. */
export interface Target {
  name: string;
  /** What it is and what is switched on, for the report. */
  says: string;
  origin: string;
  headers: Record<string, string>;
  /** API keys, one a line. */
  keysFile?: string;
  /** What every right answer of it has. */
  expectHeader?: string;
  /** What it calls the model. */
  model?: string;
  /** Of the process that is measured; direct has none. */
  pid?: number;
  /** A request that fails, or a byte that differs, fails the run. */
  isOurs: boolean;
}

/** One or several kinds of requests to a target, taken in turn. */
export function trafficTo(
  { origin, headers, keysFile, expectHeader, model = MODEL }: Target,
  ...bodies: readonly RequestBodyOptions[]
): Traffic {
  return {
    origin,
    path: '/v1/chat/completions',
    headers,
    ...(keysFile === undefined ? {} : { keysFile }),
    ...(expectHeader === undefined ? {} : { expectHeader }),
    order: 'cycle',
    bodies: bodies.map((options) => requestBody({ model, ...options })),
    expectStatus: 200,
  };
}
