import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { RestartedProcess, type RunningProcess } from './restarted-process.ts';

const SLEEPS = 'setInterval(() => undefined, 1000)';

async function run(program: string): Promise<RunningProcess> {
  const child = spawn(process.execPath, ['--eval', program], { stdio: 'ignore' });
  const ended = once(child, 'exit').then(([code, signal]) => `${code ?? signal}`);
  await once(child, 'spawn');
  return {
    pid: child.pid ?? 0,
    ended,
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function keep(
  first: RunningProcess,
  again: string | (() => Promise<RunningProcess>),
  note: () => void = () => undefined,
) {
  const said: string[] = [];
  const stopAll = new AbortController();
  let restarts = 0;
  const restarted = new RestartedProcess(first, {
    name: 'program',
    signal: stopAll.signal,
    start: () => (typeof again === 'string' ? run(again) : again()),
    onRestarted: () => {
      restarts += 1;
      note();
    },
    report: (line) => said.push(line),
  });
  return { restarted, said, stopAll, restarts: () => restarts };
}

const pause = (line = '') => Number(/again in ([\d.]+) s/.exec(line)?.[1]);

it('a process that ends is started again, with another process id, and can be stopped then', async () => {
  const { restarted, said, restarts } = keep(await run(SLEEPS), SLEEPS);
  const { pid } = restarted;
  process.kill(pid, 'SIGKILL');
  await until(() => restarts() === 1);
  expect(restarted.pid).not.toBe(pid);
  expect(said).toEqual(['program ended unexpectedly (SIGKILL); starting it again in 0.25 s']);
  await restarted.stop();
  expect(() => process.kill(restarted.pid, 0)).toThrow();
  expect(restarts()).toBe(1);
});

it.each([
  ['ends at once', 'process.exit(7)'],
  ['cannot even be started', () => Promise.reject(new Error('no such program'))],
])('a program that %s is given up after five times, with longer and longer pauses', async (_what, again) => {
  const { restarted, said } = keep(await run('process.exit(7)'), again);
  expect(await restarted.givenUp).toBe(5);
  expect(said.map(pause)).toEqual([0.25, 0.5, 1, 2]);
  await restarted.stop();
});

it('a restarted process is not started a second time if recording the restart fails', async () => {
  const { restarted, said, restarts } = keep(await run('process.exit(7)'), SLEEPS, () => {
    throw new Error('ENOSPC: no space left on device');
  });
  await until(() => said.length === 2);
  expect(said[1]).toBe(
    'program runs again, but this could not be recorded (ENOSPC: no space left on device)',
  );
  const { pid } = restarted;
  process.kill(pid, 'SIGKILL');
  await until(() => restarts() === 2);
  expect(restarted.pid).not.toBe(pid);
  await restarted.stop();
  expect(() => process.kill(restarted.pid, 0)).toThrow();
});

it('no process is restarted after a stop, not even one whose restart is pending', async () => {
  const { restarted, said, stopAll, restarts } = keep(await run('process.exit(7)'), SLEEPS);
  await until(() => said.length === 1);
  stopAll.abort();
  await restarted.stop();
  expect(restarts()).toBe(0);
});
