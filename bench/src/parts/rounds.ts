import type { Target } from '../targets/target.ts';

/** What each target did in each round. */
export type Rounds<Result> = ReadonlyMap<Target, readonly Result[]>;

/**
 * All targets one after the other, and then again: what a machine does beside this hits all of them alike.
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

/** Differences to another target's value in the same round. */
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

/** By name, for the file. */
export function roundsJson<Result>(rounds: Rounds<Result>): Record<string, readonly Result[]> {
  return Object.fromEntries([...rounds].map(([{ name }, results]) => [name, results]));
}
