import type { GatewayError } from '@model-gateway/shared';
import type { Logger } from '../observability/logger.ts';

/** Labels of a request that no route has seen, so that it has none. */
export interface RefusalLabels {
  route: 'refused';
  status: string;
  code: string;
}

/** What a service does about requests that its server refuses before any route: a count, a log line. */
export function reportRefusals(
  log: Logger,
  count: (labels: RefusalLabels) => void,
): (error: GatewayError) => void {
  return ({ status, code }) => {
    count({ route: 'refused', status: String(status), code });
    log.info({ status, error_code: code }, 'refused before any route');
  };
}
