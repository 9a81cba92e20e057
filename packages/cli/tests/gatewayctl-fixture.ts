import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCOPE_AREAS } from '@model-gateway/shared/access';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { expect } from 'vitest';
import { z } from 'zod';
import { parseControlPlaneConfig, startControlPlane } from '../../../services/control-plane/src/index.ts';
import type { Io } from '../src/io.ts';
import { runGatewayctl } from '../src/program.ts';

export const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const CATALOGS = fileURLToPath(new URL('../../../deploy/catalogs', import.meta.url));
/** Environment of a gatewayctl process. Without the compile cache, compiling takes half of its CPU time. */
export const PROCESS_ENVIRONMENT = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};
export const ISO_TIMESTAMP: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const ADMIN_TOKEN = 'test-admin-token-0123456789abcdefghij';
/** Every scope: write includes read. */
const ALL = SCOPE_AREAS.map((area) => `${area}:write`).join(',');
const newAdminKey = z.object({ key: z.string() });
const created = z.object({ id: z.string() });

export interface Outcome {
  code: number;
  out: string;
  err: string;
}

/** A control plane on a database of its own, and gatewayctl beside it. */
export interface Gatewayctl extends AsyncDisposable {
  environment: { CONTROL_PLANE_ADDRESS: string; ADMIN_TOKEN: string };
  databaseUrl: string;
  /** URL of the management API. */
  adminUrl: string;
  /** Creates an admin key that may do everything. */
  adminKey(): Promise<string>;
  /** A temporary folder. */
  folder: string;
  run(args: readonly string[], stdin?: string): Promise<Outcome>;
  /** Runs with `--json`. Fails the test unless the command succeeds and prints only one JSON value. */
  json(...args: string[]): Promise<unknown>;
  /** Runs a command that creates something, and returns its id. */
  id(...args: string[]): Promise<string>;
  /** Writes a file into `folder`, and returns its path. */
  file(name: string, text: string): string;
}

export async function startGatewayctl(): Promise<Gatewayctl> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const controlPlane = await startControlPlane(
    parseControlPlaneConfig({
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      ADMIN_PORT: '0',
      DATABASE_URL: database.url,
      ADMIN_TOKEN,
      LOG_LEVEL: 'silent',
    }),
  );
  stack.defer(() => controlPlane.close());
  const environment = { CONTROL_PLANE_ADDRESS: `127.0.0.1:${controlPlane.grpcPort}`, ADMIN_TOKEN };
  const folder = mkdtempSync(join(tmpdir(), 'gatewayctl-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const run = (args: readonly string[], stdin?: string) => runWith(environment, args, stdin);
  const json = async (...args: string[]) => succeeded(await run([...args, '--json']));
  const owned = stack.move();
  return {
    environment,
    databaseUrl: database.url,
    adminUrl: `http://127.0.0.1:${controlPlane.adminPort}`,
    adminKey: async () =>
      newAdminKey.parse(await json('admin-keys', 'create', '--name', 'test', '--scopes', ALL)).key,
    folder,
    run,
    json,
    id: async (...args) => idIn(await json(...args)),
    file(name, text) {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Returns the JSON that a command has printed. @throws unless it succeeded and printed nothing else */
export function succeeded({ code, out, err }: Outcome): unknown {
  if (code !== 0 || err !== '') throw new Error(`exit code ${code}: ${err}`);
  return JSON.parse(out);
}

export function idIn(json: unknown): string {
  return created.parse(json).id;
}

/** Runs gatewayctl in a process of its own. */
export function runProcess(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [MAIN, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

/** Runs gatewayctl in this process, and returns everything that it prints. */
export async function runWith(
  environment: Record<string, string>,
  args: readonly string[],
  stdin = '',
  person: Partial<Pick<Io, 'errorIsTerminal' | 'inputIsTerminal' | 'readLine'>> = {},
): Promise<Outcome> {
  const outcome = { code: -1, out: '', err: '' };
  outcome.code = await runGatewayctl(args, {
    environment,
    defaultDataDir: '/nonexistent',
    catalogDir: CATALOGS,
    inputIsTerminal: false,
    errorIsTerminal: false,
    writeOut: (chunk) => {
      outcome.out += chunk;
    },
    writeError: (chunk) => {
      outcome.err += chunk;
    },
    readStdin: async () => stdin,
    readLine: async () => '',
    readEnvFile: () => ({}),
    ...person,
  });
  return outcome;
}
