import type { Fault } from './fault-schema.ts';

const ABSURD = [-1, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE];

/** A usage object as the knob `usage` wants it: as it is, without sense, or not there at all. */
export function spoilUsage<Usage extends object>(usage: Usage, fault: Fault): Usage | undefined {
  if (fault.usage === 'missing') return undefined;
  if (fault.usage !== 'absurd') return usage;
  const numbers = Object.entries(usage).filter(([, value]) => typeof value === 'number');
  return {
    ...usage,
    ...Object.fromEntries(numbers.map(([name], index) => [name, ABSURD[index % ABSURD.length]])),
  };
}
