import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { keepInput } from './corpus.ts';
import { fuzzInThread } from './fuzz-in-thread.ts';
import type { FuzzResult, FuzzTask } from './fuzz-thread.ts';
import { type StartedGateway, startFuzzedGateway } from './start-fuzzed-gateway.ts';
import { TARGETS } from './targets/index.ts';

// npm run fuzz -- [--minutes 10] [--target NAME]... [--seed N] | --file FILE
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    target: { type: 'string', multiple: true },
    seed: { type: 'string' },
    file: { type: 'string' },
  },
});
const FATAL_WITHIN_MS = 1_000;
const file = values.file === undefined ? undefined : resolve(values.file);
const names = file === undefined ? values.target : [basename(dirname(file))];
const unknown = names?.filter((name) => !TARGETS.some((target) => target.name === name)) ?? [];
if (unknown.length > 0) {
  process.stderr.write(
    `no target ${unknown.join(', ')}; there are ${TARGETS.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}

const targets = TARGETS.filter(({ name }) => names?.includes(name) ?? true);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const ms = (Number(values.minutes) * 60_000) / targets.length;
let gateway: StartedGateway | undefined;
try {
  for (const target of targets) {
    if (target.needsGateway === true && (gateway === undefined || gateway.dataPlane.hasEnded())) {
      await gateway?.[Symbol.asyncDispose]();
      gateway = await startFuzzedGateway();
    }
    const called = gateway && { port: gateway.port, rawKey: gateway.rawKey };
    const task = { target: target.name, seed, ms, gateway: called };
    const result = await fuzzInThread(
      file === undefined ? task : { ...task, only: readFileSync(file, 'utf8') },
    );
    const { failure } = result;
    if (failure !== undefined && gateway?.dataPlane.hasEnded()) {
      const output = gateway.dataPlane.output().slice(-2_000);
      const json = await findFatal(task, failure.recent ?? []);
      result.failure = { json: json ?? failure.json, error: `the data plane has ended:\n${output}` };
    }
    report(target.name, result);
  }
} finally {
  await gateway?.[Symbol.asyncDispose]();
}

/** A data plane ends a moment after the input that caused it. @returns the one that ends another one, too */
async function findFatal(
  task: Omit<FuzzTask, 'current'>,
  recent: readonly string[],
): Promise<string | undefined> {
  for (const only of recent) {
    await using again = await startFuzzedGateway();
    await fuzzInThread({ ...task, gateway: { port: again.port, rawKey: again.rawKey }, only });
    await wait(FATAL_WITHIN_MS);
    if (again.dataPlane.hasEnded()) return only;
  }
  return undefined;
}

function report(name: string, { failure, runs, seconds }: FuzzResult): void {
  const rate = Math.round(runs / seconds);
  process.stdout.write(`${name.padEnd(16)} ${runs} inputs, ${rate} a second: ${failure ? 'FAILED' : 'ok'}\n`);
  if (failure === undefined) return;
  process.exitCode = 1;
  const kept = keepInput(name, failure.json);
  const shown = failure.json.length > 2_000 ? `${failure.json.slice(0, 2_000)}…` : failure.json;
  process.stdout.write(`${shown}\n${failure.error}\ntry it again: npm run fuzz -- --file ${kept}\n`);
}
