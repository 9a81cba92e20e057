import { z } from 'zod';

const reported = z.record(
  z.string(),
  z.object({
    current: z.string().optional(),
    latest: z.string(),
    dependentPackages: z.array(z.object({ name: z.string() })).default([]),
  }),
);

export interface OutdatedPackage {
  name: string;
  current: string;
  latest: string;
  /** The packages that depend on it. */
  dependents: readonly string[];
}

/** Parses the output of `pnpm outdated --format=json`; undefined when it is no such report. */
export function parseOutdated(text: string): OutdatedPackage[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { data } = reported.safeParse(json);
  if (data === undefined) return undefined;
  return Object.entries(data).map(([name, { current, latest, dependentPackages }]) => ({
    name,
    current: current ?? 'missing',
    latest,
    dependents: dependentPackages.map((dependent) => dependent.name.replace('@model-gateway/', '')),
  }));
}

/** Writes a line for each package, those furthest behind first. */
export function describeOutdated(packages: readonly OutdatedPackage[]): string {
  if (packages.length === 0) return 'Everything is as new as the registry has it.\n';
  const rows = packages
    .map((each) => ({ ...each, behind: howFarBehind(each.current, each.latest) }))
    .sort((one, other) => other.behind.weight - one.behind.weight || one.name.localeCompare(other.name))
    .map(({ name, current, latest, behind, dependents }) => [
      name,
      current,
      `-> ${latest}`,
      behind.text,
      dependents.join(', '),
    ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

const PARTS = ['major', 'minor', 'patch'] as const;

/** Compares by the first number in which the versions differ: `1 major release`, `18 patch releases`. */
export function howFarBehind(current: string, latest: string): { text: string; weight: number } {
  const [have, newest] = [numbers(current), numbers(latest)];
  for (const [index, part] of PARTS.entries()) {
    const difference = (newest[index] ?? 0) - (have[index] ?? 0);
    if (!(difference > 0)) continue;
    return {
      text: `${difference} ${part} release${difference === 1 ? '' : 's'}`,
      weight: difference * 1_000 ** (PARTS.length - index),
    };
  }
  return { text: 'another release', weight: 0 };
}

function numbers(version: string): number[] {
  return version.split(/[.+-]/, PARTS.length).map(Number);
}
