import type { Fault } from './fault-schema.ts';

/** How an answer stops before its end. */
export type Break = 'reset' | 'hang' | 'truncate';

/** The progress of an answer: a number counts sent events. */
export type Position = 'before_headers' | 'after_headers' | number;

/** Returns the break that a fault causes at exactly this position. */
export function dueBreak(fault: Fault, position: Position): Break | undefined {
  if (isAt(fault.reset, position)) return 'reset';
  if (isAt(fault.hang, position)) return 'hang';
  return isAt(fault.truncate, position) ? 'truncate' : undefined;
}

/** Returns the break of an answer without events: `after_events` with any number means its middle. */
export function breakInTheMiddle(fault: Fault): Break | undefined {
  if (typeof fault.reset === 'object') return 'reset';
  if (typeof fault.hang === 'object') return 'hang';
  return fault.truncate === undefined ? undefined : 'truncate';
}

function isAt(moment: Fault['reset'], position: Position): boolean {
  return typeof moment === 'object' ? moment.after_events === position : moment === position;
}
