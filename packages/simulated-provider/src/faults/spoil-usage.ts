import type { Fault } from './fault-schema.ts';

/** A whole number that no context has room for. */
const HUGE = 900_000_000;
const ABSURD = [-1, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE];

/** Changes a usage object as the knob `usage` asks: it stays, gets absurd numbers, or is left out. */
export function spoilUsage<Usage extends object>(usage: Usage, fault: Fault): Usage | undefined {
  if (fault.usage === 'missing') return undefined;
  if (fault.usage === 'absurd') return withNumbers(usage, (_number, index) => ABSURD[index % ABSURD.length]);
  if (fault.usage === 'huge') return withNumbers(usage, () => HUGE);
  if (fault.usage === 'worded') return withNumbers(usage, (number) => `about ${number}`);
  return usage;
}

/** A copy with every number replaced, those inside its objects included. */
function withNumbers<Value extends object>(
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
