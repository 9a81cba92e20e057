/** The result of a part of the benchmark: a table for people, the rounds for programs. */
export interface PartResult {
  name: string;
  title: string;
  /** Explains the numbers in a sentence or two. */
  note: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
  /** Every round, as measured. */
  rounds: unknown;
}

/** Something that must be true; otherwise the run has failed. */
export interface Assertion {
  says: string;
  isTrue: boolean;
  found: string;
}

/** A figure that the project wants to reach. Any machine may run it, so missing it does not fail the run. */
export interface Goal {
  says: string;
  isReached: boolean;
  found: string;
}
