/** What one part of the benchmark has found: a table for people, the rounds for machines. */
export interface PartResult {
  name: string;
  title: string;
  /** What the numbers are, in a sentence or two. */
  note: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Every round, as measured. */
  rounds: unknown;
}

/** Something that must be so, or the run has failed. */
export interface Assertion {
  says: string;
  isTrue: boolean;
  found: string;
}

/** A figure that the project wants to reach; missing it does not fail a run, whose machine may be any. */
export interface Goal {
  says: string;
  isReached: boolean;
  found: string;
}
