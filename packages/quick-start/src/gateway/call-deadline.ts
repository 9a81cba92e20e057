/** For every call to the control plane; a first start on a slow machine needs some of it. */
export const CALL_DEADLINE_MS = 15_000;
