import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { runBench } from './run-bench.ts';

const TIMEOUT_MS = 110_000;

const report = z.object({
  parts: z.array(z.object({ name: z.string(), rows: z.array(z.array(z.string())) })),
  assertions: z.array(z.object({ says: z.string(), isTrue: z.boolean(), found: z.string() })),
});

/** The figures of this run mean nothing. It shows that everything is started, measured, checked and ended. */
it('the smallest run measures direct, bare proxy and gateway, and all its checks pass', {
  timeout: TIMEOUT_MS,
  retry: 1,
}, async () => {
  const out = await mkdtemp(join(tmpdir(), 'model-gateway-bench-'));
  try {
    const measured = ['closed-loop', 'streams', 'passed-chunks', 'dialects'];
    const args = ['--smoke', '--peers', 'none', '--only', ...measured, '--out', out];
    const { code, errors } = await runBench(args, TIMEOUT_MS);
    expect(code, errors).toBe(0);
    const file = (await readdir(out)).find((name) => name.endsWith('.json'));
    const { parts, assertions } = report.parse(JSON.parse(await readFile(join(out, file ?? ''), 'utf8')));
    expect(parts.map(({ name }) => name)).toEqual(measured);
    expect(parts[0]?.rows.map(([target]) => target)).toEqual(['direct', 'bare proxy', 'gateway']);
    expect(assertions.filter(({ isTrue }) => !isTrue)).toEqual([]);
    expect(assertions.map(({ says }) => says)).toContain('every answer is recorded, once');
  } finally {
    await rm(out, { recursive: true, force: true });
  }
});
