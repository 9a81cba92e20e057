/** The deadline of every call to the control plane. A first start on a slow machine needs a part of it. */
export const CALL_DEADLINE_MS = 15_000;
