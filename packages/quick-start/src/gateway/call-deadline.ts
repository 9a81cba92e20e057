/** The deadline of every call to the control plane, enough for a first start on a slow machine. */
export const CALL_DEADLINE_MS = 15_000;
