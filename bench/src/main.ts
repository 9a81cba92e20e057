import { resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { CommanderError } from 'commander';
import { parseOptions } from './options.ts';
import { ROOT } from './processes/program.ts';
import { markdownReport, writeReport } from './results/report.ts';
import { runBench } from './run-bench.ts';

/** No run takes longer than this, unless something hangs. */
const LONGEST_MS = 30 * 60_000;

process.exit(await main(process.argv.slice(2)));

/** @returns the exit code; 0 when every assertion held */
async function main(args: readonly string[]): Promise<number> {
  const stack = new AsyncDisposableStack();
  try {
    const options = parseOptions(args);
    const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
    const running = runBench({ options, command, environment: process.env, say, stack });
    // It may still fail after everything under it was stopped.
    running.catch(() => undefined);
    const report = await Promise.race([running, interrupted()]);
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

async function interrupted(): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  let asked = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!asked) reject(new Error(`stopped by ${signal}`));
      asked = true;
    });
  }
  const late = wait(LONGEST_MS, undefined, { ref: false }).then(() => {
    throw new Error(`not done after ${LONGEST_MS / 60_000} minutes`);
  });
  return await Promise.race([promise, late]);
}

function say(line: string): void {
  process.stderr.write(`bench: ${line}\n`);
}
