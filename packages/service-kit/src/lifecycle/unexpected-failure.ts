import process from 'node:process';
import { createLogger } from '../observability/logger.ts';

/**
 * Logs uncaught exceptions and rejections, at which Node would end the process in the middle of its work.
 * @returns resolves at the first one; later ones are only logged
 */
export function catchUnexpected(service: string): Promise<'failed'> {
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
