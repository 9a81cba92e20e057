import type { Server } from 'node:http';
import process from 'node:process';

const BACKLOG = 8_192;

/** Listens on a free port, reports it to the parent process, and ends with it. */
export function serveAndReport(server: Server): void {
  server.keepAliveTimeout = 120_000;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  server.listen({ port: 0, host: '127.0.0.1', backlog: BACKLOG }, () => {
    const address = server.address();
    process.send?.({ port: address !== null && typeof address === 'object' ? address.port : 0 });
  });
  process.once('disconnect', () => process.exit(0));
  process.once('SIGTERM', () => process.exit(0));
}
