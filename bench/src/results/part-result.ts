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

/** A condition that fails the run if it is false. */
export interface Assertion {
  says: string;
  isTrue: boolean;
  found: string;
}

/** A figure that the project wants to reach. Missing it does not fail the run, because machines differ. */
export interface Goal {
  says: string;
  isReached: boolean;
  found: string;
}
