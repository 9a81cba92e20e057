import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '@model-gateway/service-kit';
import { CommanderError } from 'commander';
import { banner } from './banner.ts';
import { lockDataDir } from './data-dir/data-dir-lock.ts';
import { parseOptions, type StartOptions } from './options.ts';
import { QuickStartError } from './quick-start-error.ts';
import { type RunningStack, startStack } from './start-stack.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** Relative paths begin here: in the repository; for the npm package, in the folder where the user is. */
const FOLDER = process.env.MODEL_GATEWAY_FOLDER ?? ROOT;
const DEFAULT_DATA_DIR = '.gateway';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
// In `npm start | head`, the reader ends, but the gateway must not.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);

process.exit(await main());

async function main(): Promise<number> {
  try {
    readEnvFile();
    const options = parseOptions(process.argv.slice(2), process.env, FOLDER);
    using _lock = lockDataDir(options.dataDir);
    print(`Starting Model Gateway (data directory ${options.dataDir}) ...`);
    await using stack = await startStack(options, process.env, stop.signal, printError);
    print(
      banner({
        ...stack,
        dataDir: options.dataDir,
        dataDirFlag: dataDirFlag(options),
        takenPorts: takenPorts(options, stack),
      }),
    );
    return await waitForEnd(stack);
  } catch (error) {
    if (stop.signal.aborted) return 0;
    if (error instanceof CommanderError) return error.exitCode;
    for (const line of failureLines(error)) printError(line);
    return 1;
  }
}

/**
 * Adds the settings of `.env` in the working directory, for the npm package the user's; variables that are
 * set already win.
 */
function readEnvFile(): void {
  const path = resolve(process.env.MODEL_GATEWAY_FOLDER ?? '', '.env');
  if (existsSync(path)) process.loadEnvFile(path);
}

async function waitForEnd(stack: RunningStack): Promise<number> {
  const stopped = new Promise<undefined>((resolve) =>
    stop.signal.addEventListener('abort', () => resolve(undefined)),
  );
  const lost = await Promise.race([stopped, stack.lost]);
  if (lost === undefined) {
    print('Stopping ...');
    return 0;
  }
  for (const line of lost.lines) printError(line);
  printError('stopping all other processes');
  return 1;
}

/** Returns the default ports that another program has. */
function takenPorts(
  { adminPort, gatewayPort, dashboardPort }: StartOptions,
  { adminUrl, baseUrl, dashboardUrl }: RunningStack,
): number[] {
  const preferred = [
    [gatewayPort.port, baseUrl],
    [dashboardPort.port, dashboardUrl],
    [adminPort.port, adminUrl],
  ] as const;
  return preferred.filter(([port, url]) => Number(new URL(url).port) !== port).map(([port]) => port);
}

function dataDirFlag({ dataDir }: StartOptions): string | undefined {
  const path = relative(FOLDER, dataDir);
  if (path === DEFAULT_DATA_DIR) return undefined;
  return path.startsWith('..') || isAbsolute(path) ? dataDir : path;
}

function failureLines(error: unknown): readonly string[] {
  if (error instanceof QuickStartError) return error.lines;
  if (error instanceof ConfigError) return error.problems;
  return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
}

function printError(line: string): void {
  process.stderr.write(`npm start: ${line}\n`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
