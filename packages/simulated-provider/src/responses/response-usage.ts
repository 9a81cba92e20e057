import type { Fault } from '../faults/fault-schema.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';

export interface ResponseUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  /** With those of the reasoning. */
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
}

export interface CountedTokens {
  input: number;
  /** With those of the reasoning. */
  output: number;
  reasoning: number;
}

/** The usage of an answer, as the knobs want it; undefined where they leave it out. */
export function responseUsage(counted: CountedTokens, fault: Fault): ResponseUsage | undefined {
  const further = fault.reasoning_tokens ?? 0;
  const output = counted.output + further;
  const usage: ResponseUsage = {
    input_tokens: counted.input,
    input_tokens_details: {
      cached_tokens: Math.min(fault.cached_tokens ?? 0, counted.input),
      cache_write_tokens: 0,
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: counted.reasoning + further },
    total_tokens: counted.input + output,
  };
  return spoilUsage(usage, fault);
}
