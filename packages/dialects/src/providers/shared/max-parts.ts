/** No model writes more parts. Each becomes its own events, so a million would block the event loop. */
export const MAX_PARTS = 4_096;
