/**
 * Sends requests until standard input ends, and prints each outcome as a JSON line, with times since 1970:
 *   node run-load.ts '{"baseUrl":"http://…","key":"gw_…","workers":{"paid":4},"pauseMs":100}'
 */
import { once } from 'node:events';
import process from 'node:process';
import { z } from 'zod';
import { Load } from './load.ts';

const count = z.number().default(0);
const workers = z.object({ stream: count, paid: count, free: count });
const options = z
  .object({ baseUrl: z.string(), key: z.string(), workers, pauseMs: z.number(), words: z.number() })
  .parse(JSON.parse(process.argv[2] ?? ''));
const { baseUrl, ...rest } = options;

const load = new Load({ ...rest, target: { baseUrl, signal: new AbortController().signal } });
process.stdin.resume();
await once(process.stdin, 'end');
for (const { startedAtMs, endedAtMs, ...outcome } of await load.stop()) {
  const [started, ended] = [startedAtMs, endedAtMs].map((ms) => Math.round(performance.timeOrigin + ms));
  process.stdout.write(`${JSON.stringify({ ...outcome, startedAtMs: started, endedAtMs: ended })}\n`);
}
