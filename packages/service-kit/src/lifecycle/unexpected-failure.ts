import process from 'node:process';
import { createLogger } from '../observability/logger.ts';

/**
 * The last line of defence: logs what nobody caught, an exception or a rejected promise, instead of letting
 * Node end the process in the middle of everything.
 * @returns resolves at the first one; later ones are only logged
 */
export function catchUnexpected(service: string): Promise<'failed'> {
  return new Promise((resolve) => {
    process.on('uncaughtException', (error: unknown, origin) => {
      try {
        const log = createLogger({ service, level: 'fatal' });
        log.fatal({ error, origin }, 'nobody caught this failure; the service stops');
      } catch {
        // Without a log it has to stop all the more.
      }
      resolve('failed');
    });
  });
}
