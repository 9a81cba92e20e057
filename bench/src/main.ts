import { resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { parseOptions } from './options.ts';
import { PLANS } from './plan.ts';
import { ROOT } from './processes/program.ts';
import { markdownReport, writeReport } from './results/report.ts';
import { runBench } from './run-bench.ts';
import { fillStore } from './storage/fill-store.ts';

/** Even a run that installs peers takes longer only if something hangs. Filling a database takes hours. */
const MAX_RUN_MS = 60 * 60_000;
const MAX_FILL_MS = 6 * 3_600_000;

process.exit(await main(process.argv.slice(2)));

/** @returns the exit code; 0 if every check passed */
async function main(args: readonly string[]): Promise<number> {
  const stack = new AsyncDisposableStack();
  try {
    const options = parseOptions(args);
    if (options.fill !== undefined) {
      const folder = resolve(ROOT, options.store);
      const size = { records: options.fill, ...PLANS[options.extent].filled };
      const filling = fillStore({ folder, ...size, environment: process.env, say, stack });
      filling.catch(() => undefined);
      await Promise.race([filling, interrupted(MAX_FILL_MS)]);
      return 0;
    }
    const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
    const running = runBench({ options, command, environment: process.env, say, stack });
    // It may still fail after an interruption has stopped its programs.
    running.catch(() => undefined);
    const report = await Promise.race([running, interrupted(MAX_RUN_MS)]);
    const paths = await writeReport(report, resolve(ROOT, options.out));
    process.stdout.write(`${markdownReport(report)}\n`);
    for (const path of paths) say(`written: ${path}`);
    return report.assertions.every(({ isTrue }) => isTrue) ? 0 : 1;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  } finally {
    say('stopping everything ...');
    await stack.disposeAsync();
  }
}

/** @throws when a signal arrives, or after this time */
async function interrupted(maxMs: number): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!isStopping) reject(new Error(`stopped by ${signal}`));
      isStopping = true;
    });
  }
  const late = wait(maxMs, undefined, { ref: false }).then(() => {
    throw new Error(`not done after ${maxMs / 60_000} minutes`);
  });
  return await Promise.race([promise, late]);
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
