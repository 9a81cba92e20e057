import type { Fault } from './fault-schema.ts';

/** The ways in which an answer stops before its end. */
export type Break = 'reset' | 'hang' | 'truncate';

/** How far an answer has got: a number counts the events that have been sent. */
export type Position = 'before_headers' | 'after_headers' | number;

/** The break that a fault asks for at exactly this position. */
export function dueBreak(fault: Fault, position: Position): Break | undefined {
  if (isAt(fault.reset, position)) return 'reset';
  if (isAt(fault.hang, position)) return 'hang';
  return isAt(fault.truncate, position) ? 'truncate' : undefined;
}

/** The break of an answer that has no events: `after_events` with any number means its middle. */
export function breakInTheMiddle(fault: Fault): Break | undefined {
  if (typeof fault.reset === 'object') return 'reset';
  if (typeof fault.hang === 'object') return 'hang';
  return fault.truncate === undefined ? undefined : 'truncate';
}

function isAt(moment: Fault['reset'], position: Position): boolean {
  return typeof moment === 'object' ? moment.after_events === position : moment === position;
}
