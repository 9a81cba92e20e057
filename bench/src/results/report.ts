import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import type { Assertion, Goal, PartResult } from './part-result.ts';

export interface Report {
  /** ISO time of the start. */
  startedAt: string;
  seconds: number;
  command: string;
  machine: Machine;
  targets: readonly { name: string; says: string }[];
  /** Peers that were not measured, and why. */
  missing: readonly string[];
  parts: readonly PartResult[];
  goals: readonly Goal[];
  assertions: readonly Assertion[];
}

export function markdownReport(report: Report): string {
  const { machine, parts, goals, assertions } = report;
  const failed = assertions.filter(({ isTrue }) => !isTrue).length;
  return [
    `# Benchmark of ${report.startedAt}`,
    `\`${report.command}\`, ${Math.round(report.seconds)} s; method: bench/README.md. ${
      failed === 0 ? 'All checks passed.' : `**${failed} of the checks failed.**`
    }`,
    [
      `- ${machine.coreCount} × ${machine.cpu}, ${machine.memoryGb} GB, ${machine.system}; ${machine.cores}`,
      `- Node ${machine.node}, Redis ${machine.redis}; load average before the start: ` +
        `${machine.loadAverage.toFixed(2)}`,
      ...report.targets.map(({ name, says }) => `- **${name}**: ${says}`),
      ...report.missing.map((line) => `- ${line}`),
    ].join('\n'),
    ...parts.flatMap(({ title, note, columns, rows }) => [`## ${title}`, note, markdownTable(columns, rows)]),
    ...(goals.length === 0
      ? []
      : ['## Goals', markdownTable(['Goal', 'Found', 'Reached'], goals.map(goalRow))]),
    ...(assertions.length === 0
      ? []
      : ['## Checks', markdownTable(['Check', 'Found', 'Result'], assertions.map(assertionRow))]),
  ]
    .join('\n\n')
    .concat('\n');
}

/** @returns the paths written */
export async function writeReport(report: Report, folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const name = report.startedAt.replaceAll(':', '-').replace(/\.\d+Z$/, 'Z');
  const paths = [join(folder, `${name}.md`), join(folder, `${name}.json`)] as const;
  await writeFile(paths[0], markdownReport(report));
  await writeFile(paths[1], `${JSON.stringify(report, null, 2)}\n`);
  return [...paths];
}

function goalRow({ says, found, isReached }: Goal): string[] {
  return [says, found, isReached ? 'yes' : '**no**'];
}

function assertionRow({ says, found, isTrue }: Assertion): string[] {
  return [says, found, isTrue ? 'ok' : '**FAILED**'];
}
