/**
 * How long anything that a test waits for may take: a call, a page, an element, a state. It only ends what
 * hangs, because half a core takes many times as long as a quiet machine.
 */
export const TIMEOUT_MS = 120_000;

/** For `expect.poll`, which would give up after a second. */
export const POLL = { timeout: TIMEOUT_MS };
