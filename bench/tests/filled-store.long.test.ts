import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { runBench } from './run-bench.ts';

/** The benchmark waits for sums of usage, which a control plane may make only once a minute. */
const TIMEOUT_MS = 200_000;

const report = z.object({
  parts: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  assertions: z.array(z.object({ isTrue: z.boolean() })),
});

/** Filling fails when the ledger does not agree with what was stored. */
it('a filled database agrees with its ledger, and serves to measure settling and reads of usage', {
  timeout: 2 * TIMEOUT_MS,
  retry: 1,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-bench-'));
  try {
    const [store, out] = [join(folder, 'filled'), join(folder, 'out')];
    const filled = await runBench(['--smoke', '--fill', '0.003', '--store', store], TIMEOUT_MS);
    expect(filled.code, filled.errors).toBe(0);
    const args = ['--smoke', '--only', 'settling', 'usage-reads', '--store', store, '--out', out];
    const { code, errors } = await runBench(args, TIMEOUT_MS);
    expect(code, errors).toBe(0);
    const file = (await readdir(out)).find((name) => name.endsWith('.json'));
    const { parts, assertions } = report.parse(JSON.parse(await readFile(join(out, file ?? ''), 'utf8')));
    expect(parts.map(({ name }) => name)).toEqual(['settling', 'usage-reads']);
    expect(parts[0]?.columns).toContain('4 payers, 3,000 stored');
    expect(assertions.map(({ isTrue }) => isTrue)).toEqual([true, true]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
