import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { RedisTimeoutError } from './deadline.ts';
import { Deadlines } from './deadlines.ts';
import { WatchedCommand } from './redis-calls.ts';

const TIMEOUT_MS = 75;

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

function watched(deadlines: Deadlines): Command {
  const command = new WatchedCommand('get', ['a']);
  deadlines.watch(command);
  return command;
}

/** @returns milliseconds until it failed */
async function failure({ promise }: Command): Promise<number> {
  const startedAtMs = performance.now();
  await expect(promise).rejects.toThrow(RedisTimeoutError);
  return performance.now() - startedAtMs;
}

describe('shared deadlines', () => {
  it('each command without a reply ends at its own deadline', async () => {
    const deadlines = new Deadlines({ timeoutMs: TIMEOUT_MS, inOrder: true });
    const failures: Promise<number>[] = [];
    for (let sent = 0; sent < 5; sent += 1) {
      failures.push(failure(watched(deadlines)));
      await wait(13);
    }
    for (const tookMs of await Promise.all(failures)) expect(tookMs).toBeGreaterThanOrEqual(70);
    // The same again, after nothing was under way for a while.
    await wait(50);
    expect(await failure(watched(deadlines))).toBeGreaterThanOrEqual(70);
  });

  it('a command with a reply does not end with those without one', async () => {
    const deadlines = new Deadlines({ timeoutMs: TIMEOUT_MS, inOrder: true });
    const commands = Array.from({ length: 100 }, () => watched(deadlines));
    const outcomes = Promise.allSettled(commands.map(({ promise }) => promise));
    for (const [index, command] of commands.entries()) if (index % 10 !== 3) command.resolve(index);
    const failed = (await outcomes).flatMap(({ status }, index) => (status === 'rejected' ? index : []));
    expect(failed).toEqual([3, 13, 23, 33, 43, 53, 63, 73, 83, 93]);
  });

  it('do not count the time in which this process was too busy to listen', async () => {
    const deadlines = new Deadlines({ timeoutMs: TIMEOUT_MS, inOrder: true });
    const early = watched(deadlines);
    setTimeout(() => early.resolve('answered'), 60);
    block(100);
    await wait(1);
    const late = watched(deadlines);
    setTimeout(() => late.resolve('answered'), 60);
    block(100);
    await wait(1);
    expect(await Promise.all([early.promise, late.promise])).toEqual(['answered', 'answered']);
  });

  it('a Redis that keeps replying to a burst gets more time, but not without end', async () => {
    const deadlines = new Deadlines({ timeoutMs: TIMEOUT_MS, inOrder: true });
    const commands = Array.from({ length: 40 }, () => watched(deadlines));
    const outcomes = Promise.allSettled(commands.map(({ promise }) => promise));
    // The answers come one at a time, each well within the time of one. 40 of them take many times that.
    const answering = setInterval(
      () => commands.find(({ isResolved }) => !isResolved)?.resolve('answered'),
      20,
    );
    const statuses = (await outcomes).map(({ status }) => status);
    clearInterval(answering);
    const failed = statuses.indexOf('rejected');
    // More answers came than fit into the time of one, and the commands that were left failed together.
    expect(failed).toBeGreaterThan(TIMEOUT_MS / 20);
    expect(new Set(statuses.slice(failed))).toEqual(new Set(['rejected']));
  });

  it('of a cluster do not wait for one node because another answers: its answers have no order', async () => {
    const deadlines = new Deadlines({ timeoutMs: TIMEOUT_MS, inOrder: false });
    const first = watched(deadlines);
    const silent = watched(deadlines);
    const answering = setInterval(() => {
      first.resolve('answered');
      watched(deadlines).resolve('answered');
    }, 20);
    await expect(silent.promise).rejects.toThrow(RedisTimeoutError);
    clearInterval(answering);
  });

  // Retried, because a slow machine may not get this close to the end.
  it('read what has arrived before they give up', { retry: 3 }, async () => {
    await using server = createServer((socket) => socket.unref()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const [theirs, ours] = await Promise.all([once(server, 'connection'), connectTo(server)]);
    const command = watched(new Deadlines({ timeoutMs: 600, inOrder: true }));
    ours.once('data', () => command.resolve('answered'));
    await wait(300);
    theirs[0].write('x');
    block(400);
    expect(await command.promise).toBe('answered');
    ours.destroy();
  });
});

async function connectTo(server: Server): Promise<Socket> {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const socket = connect(address.port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}
