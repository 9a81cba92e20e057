import type { Fault } from './fault-schema.ts';

/** An integer larger than any context. */
const HUGE = 900_000_000;
const ABSURD = [-1, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE];

/** Applies the knob `usage`: keeps a usage object, changes its numbers, or drops it. */
export function spoilUsage<Usage extends object>(usage: Usage, fault: Fault): Usage | undefined {
  if (fault.usage === 'missing') return undefined;
  if (fault.usage === 'absurd')
    return replaceNumbers(usage, (_number, index) => ABSURD[index % ABSURD.length]);
  if (fault.usage === 'huge') return replaceNumbers(usage, () => HUGE);
  if (fault.usage === 'worded') return replaceNumbers(usage, (number) => `about ${number}`);
  return usage;
}

/** Copies a value with every number replaced, at any depth. */
function replaceNumbers<Value extends object>(
  value: Value,
  replace: (number: number, index: number) => unknown,
): Value {
  let index = 0;
  return JSON.parse(
    JSON.stringify(value, (_key, entry: unknown) =>
      typeof entry === 'number' ? replace(entry, index++) : entry,
    ),
  );
}
