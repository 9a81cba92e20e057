import process from 'node:process';
import { createLogger } from '../observability/logger.ts';

let serviceName = 'background';

/**
 * Logs uncaught exceptions and rejections, at which Node would end the process in the middle of its work.
 * @returns resolves at the first one; later ones are only logged
 */
export function catchUnexpected(service: string): Promise<'failed'> {
  serviceName = service;
  return new Promise((resolve) => {
    process.on('uncaughtException', (error: unknown, origin) => {
      try {
        const log = createLogger({ service, level: 'fatal' });
        log.fatal({ error, origin }, 'nobody caught this failure; the service stops');
      } catch {
        // When even logging fails, the service has to stop all the more.
      }
      resolve('failed');
    });
  });
}

/** Lets work run that nobody awaits. Logs its failure, which would otherwise stop the service. */
export function inBackground(work: Promise<unknown>): void {
  work.catch(logFailure);
}

/** Logs a failure that reaches nobody. */
export function logFailure(error: unknown): void {
  createLogger({ service: serviceName, level: 'error' }).error({ error }, 'work in the background failed');
}
