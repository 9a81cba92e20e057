import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { runBench } from './run-bench.ts';

const TIMEOUT_MS = 170_000;
const HAS_HAPROXY = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'haproxy')));

const report = z.object({
  parts: z.array(z.object({ name: z.string(), rows: z.array(z.array(z.string())) })),
  assertions: z.array(z.object({ says: z.string(), isTrue: z.boolean() })),
});

it('the ladder has every stage between the bare proxy and the gateway, and each request has its phases', {
  timeout: TIMEOUT_MS,
  retry: 1,
}, async () => {
  const { assertions, parts } = await smokeRun('ladder', 'phases');
  const [ladder = [], phases = []] = parts.map(({ rows }) => rows.map(([first]) => first));
  const stages = ['sketch 0', 'sketch 1', 'sketch 2', 'sketch 3', 'sketch 4', 'sketch'];
  // A machine without nginx has no first row.
  expect(ladder.slice(-8)).toEqual(['bare proxy', ...stages, 'gateway']);
  expect(phases).toContain('Redis, until its reply is read');
  expect(assertions.filter(({ isTrue }) => !isTrue)).toEqual([]);
  expect(assertions.map(({ says }) => says)).toContain('phases: every measured request is traced');
});

it.skipIf(!HAS_HAPROXY)(
  'two data planes behind HAProxy keep a limit and a pool exactly',
  {
    timeout: TIMEOUT_MS,
    retry: 1,
  },
  async () => {
    const { assertions, parts } = await smokeRun('scale');
    expect(parts[0]?.rows.map(([count]) => count)).toEqual(['1', '2']);
    expect(assertions.filter(({ isTrue }) => !isTrue)).toEqual([]);
    expect(assertions.map(({ says }) => says)).toContain(
      '2 data planes: a key gets exactly its requests per minute',
    );
  },
);

async function smokeRun(...parts: readonly string[]): Promise<z.infer<typeof report>> {
  const out = await mkdtemp(join(tmpdir(), 'model-gateway-bench-'));
  try {
    const args = ['--smoke', '--peers', 'none', '--only', ...parts, '--out', out];
    const { code, errors } = await runBench(args, TIMEOUT_MS);
    expect(code, errors).toBe(0);
    const file = (await readdir(out)).find((name) => name.endsWith('.json'));
    return report.parse(JSON.parse(await readFile(join(out, file ?? ''), 'utf8')));
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}
