/** The timeout of every wait of a test. It is long, because a busy machine is many times slower. */
export const TIMEOUT_MS = 120_000;

/** For `expect.poll`, which would give up after a second. */
export const POLL = { timeout: TIMEOUT_MS };
