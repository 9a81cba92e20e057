import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { PeriodicReports } from '../observability/periodic-reports.ts';
import {
  MAX_REPORTED,
  REPORT_INTERVAL_MS,
  REPORT_TIMEOUT_MS,
  REPORT_VALID_MS,
} from '../observability/report-limits.ts';
import type { OpenBreaker, ProviderBreakers } from './provider-breakers.ts';
import type { RefusedCredential, RefusedCredentials } from './refused-credentials.ts';

export interface ProviderReportsOptions {
  instanceId: string;
  breakers: Pick<ProviderBreakers, 'listOpen'>;
  refusedCredentials: Pick<RefusedCredentials, 'list'>;
  client: ControlPlaneClient;
  /** Undefined: every five seconds. */
  intervalMs: number | undefined;
  log: Logger;
}

interface ProviderReport {
  breakers: readonly OpenBreaker[];
  refused: readonly RefusedCredential[];
}

/** Reports open circuit breakers and refused credentials. */
export function providerReports(options: ProviderReportsOptions): PeriodicReports<ProviderReport> {
  const { breakers, client, instanceId, intervalMs = REPORT_INTERVAL_MS, log, refusedCredentials } = options;
  return new PeriodicReports<ProviderReport>({
    intervalMs,
    collect: () => ({
      breakers: breakers.listOpen().slice(0, MAX_REPORTED),
      refused: refusedCredentials.list().slice(0, MAX_REPORTED),
    }),
    isEmpty: (report) => report.breakers.length + report.refused.length === 0,
    send: (report) => {
      const ageMs = ageAt(performance.now());
      return client.callOnce(REPORT_TIMEOUT_MS, 'catalog', 'reportProviders', {
        instanceId,
        breakers: report.breakers.map(({ sinceMs, ...breaker }) => ({ ...breaker, openMs: ageMs(sinceMs) })),
        refused: report.refused.map(({ httpStatus, lastMs, sinceMs, ...refused }) => ({
          ...refused,
          ...(httpStatus !== undefined && { httpStatus }),
          sinceMs: ageMs(sinceMs),
          lastMs: ageMs(lastMs),
        })),
        validMs: REPORT_VALID_MS,
      });
    },
    failure: 'the state of providers could not be reported',
    log,
  });
}

/** Returns a function that converts monotonic times to ages. Services may have different clocks. */
function ageAt(nowMs: number): (ms: number) => number {
  return (ms) => Math.max(0, Math.round(nowMs - ms));
}
