import { resolve } from 'node:path';
import type { StoragePartName } from './options.ts';
import { measureSettling } from './parts/settling.ts';
import { measureUsageReads } from './parts/usage-reads.ts';
import { ROOT } from './processes/program.ts';
import { Findings } from './results/findings.ts';
import type { PartResult } from './results/part-result.ts';
import type { RunSetting, Section } from './run-setting.ts';
import { findStore } from './storage/filled-store.ts';
import { openRelease } from './storage/release.ts';
import type { StorageRun } from './storage/storage-run.ts';

/** Measures what storing and reading usage costs. */
export async function measureStorage(
  setting: RunSetting,
  names: readonly StoragePartName[],
): Promise<Section> {
  const { options, environment, plan, cores, workDir, say, stack } = setting;
  const findings = new Findings(say);
  const { against } = options;
  const run: StorageRun = {
    plan,
    findings,
    environment,
    workDir,
    cores: cores.underTest,
    against: against === undefined ? undefined : await openRelease(resolve(against), environment),
    store: await findStore(resolve(ROOT, options.store)),
    say,
    stack,
  };
  const parts: PartResult[] = [];
  for (const name of names) parts.push(await PARTS[name](run));
  const { goals, assertions } = findings;
  return { targets: [], missing: [], parts, goals, assertions };
}

const PARTS: Record<StoragePartName, (run: StorageRun) => Promise<PartResult>> = {
  settling: measureSettling,
  'usage-reads': measureUsageReads,
};
