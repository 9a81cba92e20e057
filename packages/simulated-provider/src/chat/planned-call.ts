/** A call of a tool that an answer makes. */
export interface PlannedCall {
  name: string;
  input: unknown;
}
