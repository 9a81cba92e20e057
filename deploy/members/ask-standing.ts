import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Standing } from './choose-members.ts';

const PATIENCE_MS = 1_000;
/** What a service says on its internal port while it drains. */
const DRAINING = 'shutting down';

/** Asks a replica how it is; never throws. */
export function askStanding(address: string, internalPort: number): Promise<Standing> {
  return new Promise((resolve) => {
    const request = get({ host: address, port: internalPort, path: '/health/ready', timeout: PATIENCE_MS });
    request.on('response', async (response) => {
      const body = await text(response).catch(() => '');
      if (response.statusCode === 200) resolve('ready');
      else resolve(body.includes(DRAINING) ? 'draining' : 'unready');
    });
    request.on('timeout', () => {
      resolve('silent');
      request.destroy();
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? 'gone' : 'silent'),
    );
  });
}
