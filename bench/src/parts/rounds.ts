import type { Target } from '../targets/target.ts';

export type Rounds<Result> = ReadonlyMap<Target, readonly Result[]>;

/**
 * Measures all targets in turn, round by round, so that other load on the machine affects all alike.
 * @param measure may return undefined to skip a target
 */
export async function interleave<Result>(
  targets: readonly Target[],
  rounds: number,
  measure: (target: Target, round: number) => Promise<Result | undefined>,
): Promise<Rounds<Result>> {
  const results = new Map<Target, Result[]>(targets.map((target) => [target, []]));
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      const result = await measure(target, round);
      if (result !== undefined) results.get(target)?.push(result);
    }
  }
  return results;
}

/** Returns the differences to another target's values in the same rounds. */
export function differences<Result>(
  results: readonly Result[],
  others: readonly Result[],
  pick: (result: Result) => number,
): number[] {
  return results.flatMap((result, round) => {
    const other = others[round];
    return other === undefined ? [] : pick(result) - pick(other);
  });
}

export function roundsJson<Result>(rounds: Rounds<Result>): Record<string, readonly Result[]> {
  return Object.fromEntries([...rounds].map(([{ name }, results]) => [name, results]));
}
