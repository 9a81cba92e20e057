/**
 * More parts than any model writes in one answer, or in one event of it: each is told by itself, so a
 * provider that sent a million would hold up everybody for seconds.
 */
export const MAX_PARTS = 4_096;
