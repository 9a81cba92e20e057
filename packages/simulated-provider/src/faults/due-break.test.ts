import { describe, expect, it } from 'vitest';
import { breakInTheMiddle, dueBreak } from './due-break.ts';

describe('a break', () => {
  it('is due at its own moment and at no other', () => {
    expect(dueBreak({ reset: 'before_headers' }, 'before_headers')).toBe('reset');
    expect(dueBreak({ reset: 'before_headers' }, 'after_headers')).toBeUndefined();
    expect(dueBreak({ hang: { after_events: 2 } }, 1)).toBeUndefined();
    expect(dueBreak({ hang: { after_events: 2 } }, 2)).toBe('hang');
    expect(dueBreak({ truncate: { after_events: 0 } }, 0)).toBe('truncate');
    expect(dueBreak({}, 0)).toBeUndefined();
  });

  it('after any number of events comes in the middle of an answer that has no events', () => {
    expect(breakInTheMiddle({ truncate: { after_events: 7 } })).toBe('truncate');
    expect(breakInTheMiddle({ reset: { after_events: 0 } })).toBe('reset');
    expect(breakInTheMiddle({ hang: 'after_headers' })).toBeUndefined();
  });
});
