import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { ROOT } from '../processes/program.ts';
import { startService } from '../processes/service.ts';
import { DashboardVisitor } from './dashboard-visitor.ts';
import type { Storage } from './storage.ts';

const NAME = 'reads';
const run = promisify(execFile);

interface ReadingOptions {
  storage: Storage;
  logDir: string;
  /** Stops what is started here. */
  stack: AsyncDisposableStack;
}

/** Starts a data plane that reads from a storage. @returns its URL */
export async function startDataPlane({ storage, logDir, stack }: ReadingOptions): Promise<string> {
  const { controlPlane, settings } = storage;
  const environment = (port: number, internalPort: number) =>
    settings.dataPlane(controlPlane.address, port, internalPort);
  const { program, url } = await startService({ service: 'data-plane', name: NAME, environment, logDir });
  stack.use(program);
  return url;
}

/**
 * Starts a dashboard with a signed-in visitor who owns this account. Builds its site if necessary.
 * @returns its URL, and the visitor
 */
export async function startDashboard(
  { storage, logDir, stack }: ReadingOptions,
  environment: Environment,
  accountId: string,
): Promise<{ url: string; visitor: DashboardVisitor }> {
  await run('node', ['scripts/bootstrap.mjs', '--site'], { cwd: ROOT, env: { ...environment } });
  const { controlPlane, database, settings } = storage;
  const ports = { port: await freePort(), internalPort: await freePort() };
  const start = () =>
    startService({
      service: 'dashboard',
      name: NAME,
      environment: (...used) => settings.dashboard(controlPlane.address, database.url, ...used),
      logDir,
      ports,
    });
  const first = await start();
  const { url } = first;
  const visitor = new DashboardVisitor();
  try {
    await visitor.signUp(url);
  } finally {
    await first.program[Symbol.asyncDispose]();
  }
  await database.giveAccount(accountId, visitor.email);
  // A dashboard caches the account of a visitor, so a new one is started.
  stack.use((await start()).program);
  return { url, visitor };
}
