import type { Target } from '../targets/target.ts';

export type Rounds<Result> = ReadonlyMap<Target, readonly Result[]>;

/**
 * Measures all targets one after the other, round by round: whatever else the machine does then affects all
 * of them alike.
 * @param measure may answer undefined for a target that is left out
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

/** The differences to another target's values in the same rounds. */
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
