import type { GatewayError } from '@model-gateway/shared';
import type { Logger } from '../observability/logger.ts';

/** The labels for a request that no route has seen. */
export interface RefusalLabels {
  route: 'refused';
  status: string;
  code: string;
}

/** Counts and logs the requests that the HTTP server refuses before any route sees them. */
export function reportRefusals(
  log: Logger,
  count: (labels: RefusalLabels) => void,
): (error: GatewayError) => void {
  return ({ status, code }) => {
    count({ route: 'refused', status: String(status), code });
    log.info({ status, error_code: code }, 'refused before any route');
  };
}
