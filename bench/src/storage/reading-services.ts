import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Environment } from '@model-gateway/service-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { nodeProgram, type Program, ROOT } from '../processes/program.ts';
import { DashboardVisitor } from './dashboard-visitor.ts';
import type { Storage } from './storage.ts';

const READY_MS = 60_000;
const run = promisify(execFile);

interface ReadingOptions {
  storage: Storage;
  logDir: string;
  /** Stops what is started here. */
  stack: AsyncDisposableStack;
}

/** Starts a data plane that answers from a storage. @returns its URL */
export async function startDataPlane({ storage, logDir, stack }: ReadingOptions): Promise<string> {
  const port = await freePort();
  const internalPort = await freePort();
  const environment = storage.settings.dataPlane(storage.address, port, internalPort);
  stack.use(await startService('data-plane', { environment, logDir, internalPort }));
  return `http://127.0.0.1:${port}`;
}

/**
 * Starts a dashboard in which somebody is signed in who holds this account. Its site is built if that is due.
 * @returns its URL, and who is signed in
 */
export async function startDashboard(
  { storage, logDir, stack }: ReadingOptions,
  environment: Environment,
  accountId: string,
): Promise<{ url: string; visitor: DashboardVisitor }> {
  await run('node', ['scripts/bootstrap.mjs', '--site'], { cwd: ROOT, env: { ...environment } });
  const { address, database, settings } = storage;
  const port = await freePort();
  const internalPort = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const visitor = new DashboardVisitor(url);
  const start = () =>
    startService('dashboard', {
      environment: settings.dashboard(address, database.url, port, internalPort),
      logDir,
      internalPort,
    });
  const first = await start();
  try {
    await visitor.signUp(url);
  } finally {
    await first[Symbol.asyncDispose]();
  }
  await database.giveAccount(accountId, visitor.email);
  // A dashboard remembers for a while whose account it is; one that has just been started has to ask.
  stack.use(await start());
  return { url, visitor };
}

async function startService(
  name: 'data-plane' | 'dashboard',
  { environment, logDir, internalPort }: { environment: Environment; logDir: string; internalPort: number },
): Promise<Program> {
  const file = `services/${name}/src/main.ts`;
  const program = await nodeProgram({ name: `${name}-reads`, file, environment, logDir, ipc: true });
  try {
    await program.answers(`http://127.0.0.1:${internalPort}/health/ready`, READY_MS);
    return program;
  } catch (error) {
    await program[Symbol.asyncDispose]();
    throw error;
  }
}
