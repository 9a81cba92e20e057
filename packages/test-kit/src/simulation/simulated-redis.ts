import type { Socket } from 'node:net';
import { LuaScripts, type Reply } from './lua-scripts.ts';

interface Entry {
  value: string | Map<string, number>;
  /** By the clock of the host; undefined: does not expire. */
  endsAtMs: number | undefined;
}

/**
 * Redis with the commands that limits and tombstones need, and the real scripts. A restart loses everything.
 */
export class SimulatedRedis {
  readonly #entries = new Map<string, Entry>();
  readonly #scripts = new LuaScripts((words) => this.#run(words));

  accept(socket: Socket): void {
    let received = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (;;) {
        const parsed = parseCommand(received);
        if (parsed === undefined) return;
        received = received.slice(parsed.length);
        if (!socket.destroyed) socket.write(this.#answer(parsed.words), 'latin1');
      }
    });
  }

  #answer(words: string[]): string {
    try {
      const [name = '', first = '', count = '0', ...rest] = words;
      if (name.toLowerCase() === 'eval') {
        return this.#runScript(this.#scripts.compile(first), Number(count), rest);
      }
      if (name.toLowerCase() === 'evalsha') return this.#runScript(first, Number(count), rest);
      const reply = this.#run(words);
      return reply === 'OK' ? '+OK\r\n' : encode(reply);
    } catch (error) {
      return `-ERR ${error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : error}\r\n`;
    }
  }

  #runScript(sha: string, keyCount: number, rest: readonly string[]): string {
    const reply = this.#scripts.run(sha, rest.slice(0, keyCount), rest.slice(keyCount));
    return reply === undefined ? '-NOSCRIPT no such script\r\n' : encode(reply);
  }

  #run([name = '', key = '', ...rest]: string[]): Reply {
    const [first = '', second = ''] = rest;
    switch (name.toUpperCase()) {
      case 'INFO':
        return 'redis_version:7.2.0\r\nloading:0\r\n';
      case 'CLIENT':
      case 'SELECT':
        return 'OK';
      case 'TIME': {
        const nowMs = Date.now();
        return [String(Math.floor(nowMs / 1_000)), String((nowMs % 1_000) * 1_000)];
      }
      case 'EXISTS':
        return [key, ...rest].filter((each) => this.#entry(each) !== undefined).length;
      case 'GET': {
        const value = this.#entry(key)?.value;
        return typeof value === 'string' ? value : null;
      }
      case 'SET': {
        const endsAtMs = second.toUpperCase() === 'PX' ? Date.now() + Number(rest[2]) : undefined;
        this.#entries.set(key, { value: first, endsAtMs });
        return 'OK';
      }
      case 'DEL':
      case 'UNLINK':
        return this.#entries.delete(key) ? 1 : 0;
      case 'PEXPIRE': {
        const entry = this.#entry(key);
        if (entry !== undefined) entry.endsAtMs = Date.now() + Number(first);
        return entry === undefined ? 0 : 1;
      }
      case 'LRANGE':
        // Only limits above 5,000 are counted in lists.
        return [];
      case 'ZCARD':
        return this.#sortedSet(key).size;
      case 'ZSCORE':
        return this.#sortedSet(key).get(first)?.toString() ?? null;
      case 'ZREM':
        return this.#sortedSet(key).delete(first) ? 1 : 0;
      case 'ZADD':
        return this.#add(key, rest);
      case 'ZREMRANGEBYSCORE':
        return this.#removeUntil(key, Number(second));
      case 'ZRANGE': {
        const sorted = [...this.#sortedSet(key)].sort(([, one], [, other]) => one - other);
        const [member, score] = sorted[Number(first)] ?? [];
        return member === undefined ? [] : [member, String(score)];
      }
      default:
        throw new Error(`the simulation lacks the command ${name}`);
    }
  }

  #add(key: string, rest: readonly string[]): number {
    const isNew = rest[0] === 'NX';
    const [score, member = ''] = isNew ? rest.slice(1) : rest;
    const entry = this.#entry(key) ?? { value: new Map<string, number>(), endsAtMs: undefined };
    this.#entries.set(key, entry);
    if (typeof entry.value === 'string') throw new Error('WRONGTYPE');
    const wasThere = entry.value.has(member);
    if (!(isNew && wasThere)) entry.value.set(member, Number(score));
    return wasThere ? 0 : 1;
  }

  #removeUntil(key: string, highest: number): number {
    const set = this.#sortedSet(key);
    const gone = [...set].filter(([, score]) => score <= highest);
    for (const [member] of gone) set.delete(member);
    if (gone.length > 0 && set.size === 0) this.#entries.delete(key);
    return gone.length;
  }

  #sortedSet(key: string): Map<string, number> {
    const value = this.#entry(key)?.value;
    return value instanceof Map ? value : new Map();
  }

  #entry(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry?.endsAtMs === undefined || entry.endsAtMs > Date.now()) return entry;
    this.#entries.delete(key);
    return undefined;
  }
}

/** Reads the first command of the text. @returns undefined until it is complete */
function parseCommand(text: string): { words: string[]; length: number } | undefined {
  let at = 0;
  const line = () => {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const found = text.slice(at, end);
    at = end + 2;
    return found;
  };
  const count = line();
  if (count === undefined) return undefined;
  const words: string[] = [];
  for (let index = 0; index < Number(count.slice(1)); index++) {
    const head = line();
    if (head === undefined) return undefined;
    const length = Number(head.slice(1));
    if (text.length < at + length + 2) return undefined;
    words.push(text.slice(at, at + length));
    at += length + 2;
  }
  return { words, length: at };
}

function encode(reply: Reply): string {
  if (reply === null) return '$-1\r\n';
  if (typeof reply === 'number') return `:${reply}\r\n`;
  if (typeof reply === 'string') return `$${reply.length}\r\n${reply}\r\n`;
  return `*${reply.length}\r\n${reply.map(encode).join('')}`;
}
