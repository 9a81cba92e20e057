import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { measureGateway } from './measure-gateway.ts';
import { measureStorage } from './measure-storage.ts';
import { isGatewayPart, isStoragePart } from './options.ts';
import { PLANS } from './plan.ts';
import { divideCores } from './processes/cores.ts';
import { ROOT } from './processes/program.ts';
import { makeWorkDir } from './processes/work-dir.ts';
import { describeMachine } from './results/machine.ts';
import type { Report } from './results/report.ts';
import type { RunOptions, RunSetting, Section } from './run-setting.ts';

const CACHE = join(ROOT, '.bench');

/** Starts everything, measures and reports. The owner of the stack stops everything. */
export async function runBench(run: RunOptions): Promise<Report> {
  const startedAt = new Date();
  const startedMs = performance.now();
  const cores = divideCores();
  const machine = describeMachine(cores);
  run.say(`${machine.cores}; load average ${machine.loadAverage.toFixed(2)}`);
  const workDir = await makeWorkDir(CACHE);
  run.stack.defer(() => rm(workDir, { recursive: true, force: true }));
  const plan = PLANS[run.options.extent];
  const sections = await measureAll({ ...run, plan, cores, startedAt, cacheDir: CACHE, workDir });
  return {
    startedAt: startedAt.toISOString(),
    seconds: (performance.now() - startedMs) / 1_000,
    command: run.command,
    machine,
    targets: sections.flatMap(({ targets }) => targets),
    missing: sections.flatMap(({ missing }) => missing),
    parts: sections.flatMap(({ parts }) => parts),
    goals: sections.flatMap(({ goals }) => goals),
    assertions: sections.flatMap(({ assertions }) => assertions),
  };
}

/** Measures parts that need the same processes together. These end before others start. */
async function measureAll(setting: RunSetting): Promise<Section[]> {
  const { parts } = setting.options;
  const ofStorage = parts.filter(isStoragePart);
  const ofGateway = parts.filter(isGatewayPart);
  const sections: Section[] = [];
  if (ofGateway.length > 0) sections.push(await measureGateway(setting, ofGateway));
  if (ofStorage.length > 0) sections.push(await measureStorage(setting, ofStorage));
  return sections;
}
